/**
 * How a connection to Postgres is made: one address after the other, with TLS and without it, as libpq does. pg itself takes
 * one address, knows no `prefer`, and reads `require` as `verify-full`.
 */
import type { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { connect, isIP, type NetConnectOpts, type Socket } from "node:net";
import tls from "node:tls";
import pg from "pg";
import {
  type PostgresAddress,
  type PostgresServer,
  readPostgresUrl,
  shownAddress,
} from "../../core/operations/postgres-url.ts";
import { SESSION_OPTIONS } from "./session-settings.ts";

/** A client whose `connectionString` means what it means to libpq. Pools of pg and of Ponder make theirs of this class. */
export class ServerClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super(configOf(config));
  }
}

/** @throws Error, one sentence, for a URL that cannot be used */
function configOf({ connectionString, ...config }: pg.ClientConfig): pg.ClientConfig {
  const options = (ofUrl?: string) => [ofUrl, SESSION_OPTIONS, config.options].filter(Boolean).join(" ");
  if (connectionString === undefined) return { ...config, options: options() };
  const server = serverOf(connectionString);
  const { keepAlive, keepAliveInitialDelayMillis } = config;
  const [first] = server.addresses;
  const own = {
    ...first,
    // The connection negotiates TLS itself.
    ssl: false,
    user: server.user,
    password: server.password,
    database: server.database,
    // Of two settings of one name the later counts.
    options: options(server.options),
    enableChannelBinding: server.channelBinding,
    connection: new ServerConnection(server, { keepAlive, keepAliveInitialDelayMillis }),
  };
  return {
    ...config,
    ...(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as object),
  };
}

/** The reader's words, with their subject. */
function serverOf(url: string): PostgresServer {
  try {
    return readPostgresUrl(url);
  } catch (error) {
    throw new Error(`The URL of the database ${(error as Error).message}.`, { cause: error });
  }
}

/** The internals of pg's connection that are used here; check them with every new version. */
type PgConnection = EventEmitter & {
  stream: Socket;
  _connecting: boolean;
  _ending: boolean;
  attachListeners(stream: Socket): void;
};
type KeepAlive = Pick<pg.ClientConfig, "keepAlive" | "keepAliveInitialDelayMillis">;
const PgConnection = pg.Connection as unknown as new (config: object) => PgConnection;

/** Max milliseconds to wait for one of several addresses where the URL names no limit. */
const ADDRESS_MS = 2_000;
/** Asks the server for TLS (PostgreSQL manual, "Message Formats", SSLRequest). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The server does not let the role or the host in this way: with TLS, or without it. */
const NOT_THIS_WAY = "28000";
/** Its answers to the request: S and N. */
const [OFFERS_TLS, OFFERS_NONE] = [0x53, 0x4e];
/** The server starts, stops or recovers. */
const NOT_NOW = "57P03";

/** The client gave up waiting for an answer: no other attempt follows. */
export class Unanswered extends Error {
  readonly code = "ETIMEDOUT";
}

/** Why an attempt failed, and what may help: the other way at the same address, the next address, or neither. */
class Refusal extends Error {
  readonly next: "way" | "address" | "none";
  constructor(message: string, next: Refusal["next"], cause?: Error) {
    super(message, { cause });
    this.next = next;
  }
}

class ServerConnection extends PgConnection {
  readonly #server: PostgresServer;
  readonly #keepAlive: KeepAlive;
  /** The server has offered to sign in with a proof that both have the same certificate. */
  #offersBinding = false;

  constructor(server: PostgresServer, keepAlive: KeepAlive) {
    super({});
    this.#server = server;
    this.#keepAlive = keepAlive;
  }

  /** Called by the client. */
  connect(): void {
    this._connecting = true;
    void this.#connectInTurn().catch((failure) => {
      // Its own `emit` may still hold back what the last attempt heard.
      super.emit("error", failure);
      super.emit("end");
    });
  }

  /** @throws the first failure at the last address */
  async #connectInTurn(): Promise<void> {
    let failure: unknown;
    for (const address of this.#server.addresses) {
      failure = undefined;
      const ways = address.host.startsWith("/") ? (["plain"] as const) : this.#server.encryption;
      for (const [i, way] of ways.entries()) {
        try {
          return await this.#attempt(address, way, ways[i + 1] === "plain");
        } catch (error) {
          this.stream.destroy();
          failure ??= error instanceof Refusal && error.cause ? error.cause : error;
          const next = error instanceof Refusal ? error.next : "way";
          if (this._ending || next === "none" || failure instanceof Unanswered) throw failure;
          if (next === "address") break;
        }
      }
    }
    throw failure;
  }

  /** @param orPlain the connection goes on without TLS where the server has none */
  async #attempt(address: PostgresAddress, way: "tls" | "plain", orPlain: boolean): Promise<void> {
    const { addresses, connectMs = addresses.length > 1 ? ADDRESS_MS : undefined } = this.#server;
    const late = new Error(`no answer of ${shownAddress(address)} within ${connectMs} ms`);
    const timer = connectMs && setTimeout(() => this.stream.destroy(late), connectMs);
    try {
      this.stream = await this.#dial(address);
      if (way === "tls" && (await this.#offersTls(orPlain))) this.stream = await this.#encrypt(address.host);
      await this.#start();
    } finally {
      clearTimeout(timer);
    }
  }

  async #dial({ host, port }: PostgresAddress): Promise<Socket> {
    const { keepAlive, keepAliveInitialDelayMillis } = this.#keepAlive;
    const options = { noDelay: true, keepAlive, keepAliveInitialDelay: keepAliveInitialDelayMillis };
    const target = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
    this.stream = connect({ ...target, ...options } as NetConnectOpts);
    await nextEvent(this.stream, "connect").catch((error: Error) => {
      throw new Refusal(error.message, error instanceof Refusal ? error.next : "address", error);
    });
    return this.stream;
  }

  /** @throws Refusal where it offers none, unless the connection may go on without it */
  async #offersTls(orPlain: boolean): Promise<boolean> {
    if (this.#server.tls.isDirect) return true;
    this.stream.write(SSL_REQUEST);
    const [answer] = (await nextEvent(this.stream, "data")) as [Buffer];
    // More than the answer would be words of somebody between, read as if they had come encrypted.
    if (answer.length === 1 && answer[0] === OFFERS_TLS) return true;
    if (answer.length === 1 && answer[0] === OFFERS_NONE && orPlain) return false;
    if (answer.length === 1 && answer[0] === OFFERS_NONE) throw new Refusal("the server offers no TLS", "way");
    throw new Refusal("the server does not answer as Postgres when it is asked for TLS", "address");
  }

  async #encrypt(host: string): Promise<Socket> {
    const { verify, rootCertificates, certificate, key, passphrase, isDirect } = this.#server.tls;
    const socket = this.stream;
    socket.on("error", () => {});
    const secured = tls.connect({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: verify !== "none",
      ...(verify === "ca" && { checkServerIdentity: () => undefined }),
      ...(rootCertificates && { ca: contentOf(rootCertificates, "sslrootcert") }),
      ...(certificate && { cert: contentOf(certificate, "sslcert") }),
      ...(key && { key: contentOf(key, "sslkey") }),
      ...(passphrase && { passphrase }),
      ...(isDirect && { ALPNProtocols: ["postgresql"] }),
    });
    this.stream = secured;
    await nextEvent(secured, "secureConnect");
    return secured;
  }

  /**
   * Lets the client sign in, and resolves when it has. Until then the client hears of no failure: another attempt may
   * follow, which begins for the client with another "connect".
   */
  #start(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve, reject) => {
      let state: "starting" | "refused" | "started" = "starting";
      const refused = (failure: Error) => {
        state = "refused";
        stream.destroy();
        reject(failure);
      };
      stream.on("error", (error: NodeJS.ErrnoException) => {
        if (state === "starting") refused(error);
        else if (state === "started" && !(this._ending && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "")))
          super.emit("error", error);
      });
      stream.on("close", () => {
        if (state === "starting") refused(new Refusal("the server closed the connection", "none"));
        else if (state === "started") super.emit("end");
      });
      // On the instance: pg's parser calls it for each message, and the client hears only what it lets through.
      this.emit = (event: string, ...args: unknown[]) => {
        if (state === "refused") return false;
        const failure = this.#failureIn(event, args[0]);
        if (failure) {
          refused(failure);
          return true;
        }
        if (event === "readyForQuery") {
          state = "started";
          // Messages of a connection in use take no detour.
          delete (this as Partial<PgConnection>).emit;
          resolve();
        }
        return super.emit(event, ...args);
      };
      this.attachListeners(stream);
      this.emit("connect");
    });
  }

  /** Why what was heard while the connection starts ends the attempt. */
  #failureIn(event: string, message: unknown): Error | undefined {
    const { channelBinding, role } = this.#server;
    if (event === "error") return new Refusal((message as Error).message, "none", message as Error);
    if (event === "errorMessage") {
      const error = message as pg.DatabaseError;
      const next = error.code === NOT_THIS_WAY ? "way" : error.code === NOT_NOW ? "address" : "none";
      return new Refusal(error.message, next, error);
    }
    if (event === "authenticationSASL")
      this.#offersBinding = (message as { mechanisms: string[] }).mechanisms.includes("SCRAM-SHA-256-PLUS");
    if (channelBinding && event.startsWith("authentication") && !this.#offersBinding)
      return new Refusal("the server offers no channel binding, which channel_binding=require asks for", "none");
    const { parameterName, parameterValue } = (message ?? {}) as { parameterName?: string; parameterValue?: string };
    if (event !== "parameterStatus" || parameterName !== "in_hot_standby" || role === "any") return undefined;
    const found = parameterValue === "on" ? "standby" : "primary";
    return found === role
      ? undefined
      : new Refusal(`the server is a ${found}, and target_session_attrs asks for a ${role}`, "address");
  }
}

/** Resolves with what comes with the event. @throws what ends the socket before */
function nextEvent(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    let ended = false;
    const done = (settle: () => void) => {
      socket.off(event, came).off("error", failed).off("end", ends).off("close", closed);
      settle();
    };
    const came = (...args: unknown[]) => done(() => resolve(args));
    const failed = (error: Error) => done(() => reject(error));
    const ends = () => {
      ended = true;
    };
    // Closed by this side, and without an error: the client gave up waiting.
    const closed = () =>
      done(() => reject(new Refusal("the connection was closed while it was being made", ended ? "way" : "none")));
    socket.on(event, came).on("error", failed).on("end", ends).on("close", closed);
  });
}

function contentOf(path: string, parameter: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${parameter} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
