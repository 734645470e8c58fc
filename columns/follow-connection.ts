/** The connection on which a live table follows the database: one at a time, listening, reopened after a loss. */
import pg from "pg";
import { HISTORY } from "./commit-snapshot.ts";
import type { OpenClient } from "./table-source.ts";

/** Max milliseconds to wait for the server's answer when the connection is closed; the server may be gone. */
const CLOSE_MS = 1_000;

export type FollowConnectionOptions = {
  url: string;
  openClient: OpenClient;
  /** NOTIFY channel to listen on. */
  channel: string;
  onNotification(): void;
};

export class FollowConnection {
  readonly #options: FollowConnectionOptions;
  #client: pg.Client | undefined;
  #history: string | undefined;

  constructor(options: FollowConnectionOptions) {
    this.#options = options;
  }

  /** Which history of commits the last snapshot saw: transaction ids of different ones cannot be compared. */
  get history(): string | undefined {
    return this.#history;
  }

  /**
   * Runs `work` in one read-only REPEATABLE READ transaction, on a new connection where there is none.
   * @throws the database's error, with the transaction still open: the caller calls `drop`
   */
  async snapshot<T>(work: (tx: pg.Client) => Promise<T>): Promise<T> {
    this.#client ??= await this.#connect();
    const client = this.#client;
    await client.query("begin isolation level repeatable read read only");
    const result = await work(client);
    await client.query("rollback");
    return result;
  }

  /** Gives the connection up after an error; the next `snapshot` opens another one. */
  drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => {});
  }

  async close(): Promise<void> {
    if (!this.#client) return;
    const ended = this.#client.end().catch(() => {});
    await Promise.race([ended, new Promise((over) => setTimeout(over, CLOSE_MS).unref())]);
  }

  async #connect(): Promise<pg.Client> {
    const { url, openClient, channel, onNotification } = this.#options;
    const client = openClient({
      connectionString: url,
      application_name: "table-follow",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    const onLost = () => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", onNotification);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.#history = (await client.query<{ history: string }>(`select ${HISTORY} as history`)).rows[0]!.history;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    return client;
  }
}
