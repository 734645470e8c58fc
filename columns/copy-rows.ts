/** Reads many rows fast: `COPY … TO STDOUT (FORMAT binary)`, whose fields are read from the bytes without making objects. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import pg from "pg";
import type { Values } from "./values.ts";

/**
 * A row as COPY sends it; see "Binary Format" of COPY in the PostgreSQL manual. Fields are views of the receive
 * buffer, valid until the callback returns.
 */
export class CopyRow {
  #chunk: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  /** -1 is null. */
  readonly #lengths: number[] = [];

  /** Moves to the row at an offset of a message. @returns false at the end of the rows */
  take(chunk: Buffer, at: number): boolean {
    const fields = chunk.readInt16BE(at);
    if (fields < 0) return false;
    this.#chunk = chunk;
    let next = at + 2;
    for (let field = 0; field < fields; field++) {
      const length = chunk.readInt32BE(next);
      this.#starts[field] = next + 4;
      this.#lengths[field] = length;
      next += 4 + Math.max(0, length);
    }
    return true;
  }

  /** A field of type `int8`, at most 2^53. */
  integer(field: number): number {
    const at = this.#starts[field]!;
    return this.#chunk.readInt32BE(at) * 0x1_0000_0000 + this.#chunk.readUInt32BE(at + 4);
  }

  /** A field of type `int2`. */
  small(field: number): number | null {
    return this.#lengths[field]! < 0 ? null : this.#chunk.readInt16BE(this.#starts[field]!);
  }

  /** A field of type `int4`. */
  medium(field: number): number | null {
    return this.#lengths[field]! < 0 ? null : this.#chunk.readInt32BE(this.#starts[field]!);
  }

  /** A field of type `timestamptz`, in milliseconds since 1970 with fractions; COPY sends microseconds since 2000. */
  time(field: number): number | null {
    return this.#lengths[field]! < 0 ? null : this.integer(field) / 1000 + YEAR_2000;
  }

  /** A field of type `float8`. */
  double(field: number): number | null {
    return this.#lengths[field]! < 0 ? null : this.#chunk.readDoubleBE(this.#starts[field]!);
  }

  /** The bytes of a field: the UTF-8 of a `text`, the content of a `bytea`. */
  bytes(field: number): Uint8Array | null {
    const length = this.#lengths[field]!;
    if (length < 0) return null;
    // No `subarray`: a `Buffer` takes longer to make, and a load makes millions.
    return new Uint8Array(this.#chunk.buffer, this.#chunk.byteOffset + this.#starts[field]!, length);
  }

  /** A field of type `bool`. */
  flag(field: number): boolean {
    return this.#chunk[this.#starts[field]!] === 1;
  }

  /** A field of type `numeric` with an integer value, exactly. COPY sends digits to the base 10,000, the highest first. */
  numeric(field: number): number | bigint | null {
    if (this.#lengths[field]! < 0) return null;
    const at = this.#starts[field]!;
    const digits = this.#chunk.readInt16BE(at);
    const weight = this.#chunk.readInt16BE(at + 2);
    let value = 0;
    for (let i = 0; i <= weight; i++) {
      value = value * 10_000 + (i < digits ? this.#chunk.readInt16BE(at + 8 + i * 2) : 0);
      if (value > Number.MAX_SAFE_INTEGER) return this.#large(at, digits, weight);
    }
    return this.#isNegative(at) ? -value : value;
  }

  #large(at: number, digits: number, weight: number): bigint {
    let value = 0n;
    for (let i = 0; i <= weight; i++)
      value = value * 10_000n + (i < digits ? BigInt(this.#chunk.readInt16BE(at + 8 + i * 2)) : 0n);
    return this.#isNegative(at) ? -value : value;
  }

  #isNegative(at: number): boolean {
    return this.#chunk.readUInt16BE(at + 4) === 0x4000;
  }
}

const YEAR_2000 = Date.UTC(2000, 0);

/** Bytes before the first row: an 11-byte signature, 4 bytes of flags, 4 bytes with the length of an extension. */
const HEADER_BYTES = 19;

/**
 * Runs a SELECT and calls back for each of its rows, in order.
 * @param select without parameters: COPY takes none
 * @throws as `copyOut`
 */
export function copyRows(client: pg.ClientBase, select: string, onRow: (row: CopyRow) => void): Promise<void> {
  const row = new CopyRow();
  let begun = false;
  return copyOut(client, `copy (${select}) to stdout (format binary)`, (chunk) => {
    const at = begun ? 0 : HEADER_BYTES + chunk.readInt32BE(HEADER_BYTES - 4);
    begun = true;
    if (at < chunk.length && row.take(chunk, at)) onRow(row);
  });
}

/**
 * Runs COPY … TO STDOUT and calls back with each message of it: Postgres sends one row in each.
 * @param onChunk its bytes are valid until it returns
 * @throws the database's error; an error when the connection is lost, or silent for longer than the client's
 *   `query_timeout`; the error that `onChunk` throws (the rows after it are then read and dropped)
 */
export async function copyOut(client: pg.ClientBase, sql: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  await query(client, sql, (own) => ({
    handleCopyData: ({ chunk }: { chunk: Buffer }) => orFail(own, () => onChunk(chunk)),
  }));
}

/**
 * Runs COPY … FROM STDIN.
 * @param chunks in its format, cut anywhere
 * @returns the number of rows
 * @throws as `copyOut`, also the error of `chunks`; no row is there then
 */
export const copyIn = (client: pg.ClientBase, sql: string, chunks: Chunks): Promise<number> =>
  query(client, sql, (own) => ({
    handleCopyInResponse(connection: Connection): void {
      send(chunks, connection).catch((error) => {
        own.failure = error;
        connection.sendCopyFail("the rows cannot be read");
      });
    },
  }));

async function send(chunks: Chunks, connection: Connection): Promise<void> {
  for await (const chunk of chunks) {
    connection.sendCopyFromChunk(chunk);
    if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
  }
  connection.endCopyFrom();
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;
/** What of pg's connection rows are sent by. */
type Connection = {
  stream: Writable;
  sendCopyFromChunk(chunk: Buffer): void;
  sendCopyFail(reason: string): void;
  endCopyFrom(): void;
};

/**
 * Runs a SELECT of one text and calls back for each of its rows, in turns: the database makes some rows, and waits
 * while those are read here. Both together take one core.
 * @param turn rows of a turn, and length of texts after which those that are there are read earlier
 * @throws as `copyOut`
 */
export async function rowsInTurns(
  client: pg.ClientBase,
  select: string,
  turn: { rows: number; length: number },
  onRow: (text: string) => void,
): Promise<void> {
  let texts: string[] = [];
  let [rows, length] = [0, 0];
  const read = () => {
    for (const text of texts) onRow(text);
    texts = [];
    length = 0;
  };
  // The driver asks for the rows of the next turn when this one's last has been taken.
  await query(client, { text: select, rows: turn.rows }, (own) => ({
    handleDataRow: ({ fields }: { fields: [string] }) =>
      orFail(own, () => {
        texts.push(fields[0]);
        length += fields[0].length;
        if (++rows % turn.rows === 0 || length >= turn.length) read();
      }),
  }));
  read();
}

/** A query whose rows the driver asks for some at a time. */
type Paged = { text: string; rows: number };
/** Failure on this side: what the database sends after it is dropped. */
type Own = { failure?: unknown };
function orFail(own: Own, take: () => void): void {
  if (own.failure !== undefined) return;
  try {
    take();
  } catch (error) {
    own.failure = error ?? new Error("a row could not be read");
  }
}

/** @param handlers of messages, by the names under which the driver's client calls them */
function query(client: pg.ClientBase, sql: string | Paged, handlers: (own: Own) => object): Promise<number> {
  return new Promise((resolve, reject) => {
    const own: Own = {};
    // A client with a `query_timeout` reports errors to the query's callback only, so the query needs one.
    const sent = new pg.Query(sql, (error, result) => {
      const failure = own.failure ?? error;
      if (failure) reject(failure);
      else resolve(result.rowCount ?? 0);
    });
    client.query(Object.assign(sent, handlers(own)));
  });
}

/** Copies of the values, for rows that are used after the callback has returned. */
export const copyValues = (values: Values): Values =>
  values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value));
