/** Reads many rows fast: `COPY … TO STDOUT (FORMAT binary)`, whose fields are handed on as bytes without becoming objects. */
import pg from "pg";
import type { TableDefinition, Value, Values } from "./values.ts";

/**
 * A row as COPY sends it; see "Binary Format" of COPY in the PostgreSQL manual. Fields are views of the receive
 * buffer, good until the callback returns.
 */
export class CopyRow {
  #chunk: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  /** -1 is null. */
  readonly #lengths: number[] = [];

  /** Takes the next row of a message. @returns false at the end of the rows */
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

  /** The bytes of a field: of a `text` its UTF-8, of a `bytea` what it is. */
  bytes(field: number): Uint8Array | null {
    const length = this.#lengths[field]!;
    if (length < 0) return null;
    const at = this.#starts[field]!;
    return this.#chunk.subarray(at, at + length);
  }

  /** A field of type `bool`. */
  flag(field: number): boolean {
    return this.#chunk[this.#starts[field]!] === 1;
  }

  /** A number written as `text`, exactly. */
  decimal(field: number): number | bigint | null {
    const length = this.#lengths[field]!;
    if (length < 0) return null;
    const at = this.#starts[field]!;
    let value = 0;
    for (let i = at; i < at + length; i++) {
      const digit = this.#chunk[i]! - ZERO;
      if (digit < 0 || digit > 9 || length > SAFE_DIGITS)
        return parseDecimal(this.#chunk.toString("latin1", at, at + length));
      value = value * 10 + digit;
    }
    return value;
  }
}

const ZERO = 48;
/** So many digits always fit into a double. */
const SAFE_DIGITS = 15;

/** A number as Postgres writes it. An integer that a double cannot hold comes as bigint. */
export function parseDecimal(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}

/** Bytes before the first row: an 11-byte signature, 4 bytes of flags, and an extension of the length that follows. */
const HEADER = 19;

/**
 * Runs a SELECT and calls back for each of its rows, in order.
 * @param select without parameters: COPY takes none
 * @throws the database's error, or what `onRow` throws (the rows behind it are then read and dropped)
 */
export function copyRows(client: pg.ClientBase, select: string, onRow: (row: CopyRow) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new CopyOut(`copy (${select}) to stdout (format binary)`, onRow);
    query.on("error", reject);
    query.on("end", () => (query.failure === undefined ? resolve() : reject(query.failure)));
    client.query(query);
  });
}

class CopyOut extends pg.Query {
  failure: unknown;
  #begun = false;
  readonly #row = new CopyRow();
  readonly #onRow: (row: CopyRow) => void;

  constructor(text: string, onRow: (row: CopyRow) => void) {
    super(text);
    this.#onRow = onRow;
  }

  /** The driver's client calls this with every CopyData message; Postgres sends a row in each. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.failure !== undefined) return;
    try {
      const at = this.#begun ? 0 : HEADER + chunk.readInt32BE(HEADER - 4);
      this.#begun = true;
      if (at < chunk.length && this.#row.take(chunk, at)) this.#onRow(this.#row);
    } catch (error) {
      this.failure = error ?? new Error("a row could not be read");
    }
  }
}

/**
 * How a table's rows are read: the id as `int8`, then each column of the definition: numbers as `text`, texts as
 * `text`, bytes as `bytea`, flags as `bool`. Further fields are the reader's own.
 */
export function rowReader(definition: TableDefinition): (row: CopyRow) => Values {
  const kinds = Object.values(definition).map((spec) => spec.kind);
  return (row) => {
    const values: Value[] = new Array(kinds.length);
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i];
      values[i] = kind === "number" ? row.decimal(i + 1) : kind === "flag" ? row.flag(i + 1) : row.bytes(i + 1);
    }
    return values;
  };
}

/** The same values, on their own: for rows that are kept past the callback. */
export const keepValues = (values: Values): Values =>
  values.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value));
