/** Reads many rows fast: `COPY … TO STDOUT (FORMAT binary)`, whose fields are read from the bytes without making objects. */
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
 * @throws the database's error; an error when the connection is lost, or silent for longer than the client's
 *   `query_timeout`; the error that `onRow` throws (the rows after it are then read and dropped)
 */
export function copyRows(client: pg.ClientBase, select: string, onRow: (row: CopyRow) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // A client with a `query_timeout` reports errors to the query's callback only, so the query needs one.
    const query = new CopyOut(`copy (${select}) to stdout (format binary)`, onRow, (error) => {
      const failure = error ?? query.failure;
      if (failure === undefined) resolve();
      else reject(failure);
    });
    client.query(query);
  });
}

class CopyOut extends pg.Query {
  failure: unknown;
  #begun = false;
  readonly #row = new CopyRow();
  readonly #onRow: (row: CopyRow) => void;

  constructor(text: string, onRow: (row: CopyRow) => void, done: (error: Error | null) => void) {
    super(text, done);
    this.#onRow = onRow;
  }

  /** The driver's client calls this with each CopyData message; Postgres sends one row in each. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.failure !== undefined) return;
    try {
      const at = this.#begun ? 0 : HEADER_BYTES + chunk.readInt32BE(HEADER_BYTES - 4);
      this.#begun = true;
      if (at < chunk.length && this.#row.take(chunk, at)) this.#onRow(this.#row);
    } catch (error) {
      this.failure = error ?? new Error("a row could not be read");
    }
  }
}

/** Copies of the values, for rows that are used after the callback has returned. */
export const copyValues = (values: Values): Values =>
  values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value));
