/** A connection to Postgres that must be made within a time. Time in which this process itself did not run is not counted. */
import type pg from "pg";
import { ServerClient, Unanswered } from "./server-connection.ts";

/** Turns of the event loop into which the time is divided. */
const STEPS = 10;

export class LimitedClient extends ServerClient {
  readonly #connectMs: number;

  /** @param connectMs max milliseconds until the server has accepted the session */
  constructor(config: pg.ClientConfig, connectMs: number) {
    super(config);
    this.#connectMs = connectMs;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const stop = afterSteps(this.#connectMs, () => {
      const words = `Postgres at ${this.host}:${this.port} does not answer within ${this.#connectMs} ms`;
      this.connection.stream.destroy(new Unanswered(words));
    });
    if (!callback) return super.connect().finally(stop);
    super.connect((error: Error) => {
      stop();
      callback(error);
    });
  }
}

/** Whether a connection was not made because nothing answered; a server that refuses has answered. */
export const isUnanswered = (error: unknown): boolean => error instanceof Unanswered;

/**
 * Calls `late` after a time in steps. Between two steps the event loop reads its sockets, and once more before `late`: a
 * process that was kept from running for seconds reads the answer that has come meanwhile instead of giving up.
 * @returns ends it
 */
function afterSteps(ms: number, late: () => void): () => void {
  let left = STEPS;
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    if (--left > 0) timer.refresh();
    else last = setImmediate(late);
  }, ms / STEPS);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
