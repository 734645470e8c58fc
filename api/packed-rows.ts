/** JSON objects of one shape without the names of their members, which are more than half of their bytes in the directory. */
import type { RowBytes } from "../db/lists/directory.ts";
import { type JsonReply, written } from "./reply.ts";

/** A value follows its length: one byte, or this byte and four more. */
const LONG = 255;
const LONG_PREFIX_BYTES = 5;
/**
 * Values and names are copied in words of four bytes, of which the last may reach as far beyond them. That is in the
 * spare bytes of a packed row, and in the answer where the next value, or its end, is written afterwards.
 */
const WORD_BYTES = 4;
const SPARE_BYTES = WORD_BYTES - 1;
/** Bytes of UTF-8 that a character of JSON takes at most, as `\u001e`. */
const MAX_CHARACTER_BYTES = 6;
/** Room for a row of texts of usual length. */
const SCRATCH_BYTES = 16_384;
const UTF8 = new TextEncoder();

/** Packs objects that all have the same members, in the same order, and writes them out again as `JSON.stringify` does. */
export class PackedRows<Row extends object> {
  readonly #members: readonly (keyof Row & string)[];
  /** The JSON before each value: `{"id":`, then `,"address":` and so on. */
  readonly #before: readonly { words: Int32Array; length: number }[];
  /** Bytes of an object beyond those of its packed form. */
  readonly #more: number;
  /** Where rows are packed. Bound: SCRATCH_BYTES between two rows. */
  #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);

  /** @param members of every object, in the order in which they are written */
  constructor(members: readonly (keyof Row & string)[]) {
    this.#members = members;
    this.#before = members.map((name, i) => wordsOf(`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`));
    this.#more = this.#before.reduce((sum, { length }) => sum + length, 1);
  }

  /** @param row with texts, finite numbers, booleans and nulls only */
  pack(row: Row): Uint8Array {
    let at = 0;
    for (const member of this.#members) {
      const value = row[member];
      const text = typeof value === "string" ? value : String(value);
      const room = at + LONG_PREFIX_BYTES + 2 + text.length * MAX_CHARACTER_BYTES + SPARE_BYTES;
      if (room > this.#scratch.length) this.#grow(room);
      at =
        typeof value === "string"
          ? writeText(this.#scratch, at, text)
          : writePlain(this.#scratch, at, text, text.length);
    }
    const packed = Buffer.from(this.#scratch.subarray(0, at + SPARE_BYTES));
    if (this.#scratch.length > SCRATCH_BYTES) this.#scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
    return packed;
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafe(room * 2);
    this.#scratch.copy(larger);
    this.#scratch = larger;
  }

  /** A JSON answer: an object whose first member is the array of the rows. @param rest its other members */
  answer<View extends Record<Member, Row[]>, Member extends string>(
    member: Member,
    rows: readonly RowBytes[],
    rest: Omit<View, Member>,
  ): JsonReply<View> {
    const head = Buffer.from(`{${JSON.stringify(member)}:[`);
    const foot = Buffer.from(`],${JSON.stringify(rest).slice(1)}`);
    let room = head.length + foot.length;
    for (const { start, end } of rows) room += end - start + this.#more + 1;
    const content = Buffer.allocUnsafe(room);
    const target = new DataView(content.buffer, content.byteOffset, room);
    let at = head.copy(content);
    for (let i = 0; i < rows.length; i++) {
      if (i > 0) target.setUint8(at++, COMMA);
      at = this.#write(target, at, rows[i]!);
    }
    at += foot.copy(content, at);
    return written(content.subarray(0, at));
  }

  /** A native copy of ten bytes takes longer than three words, and a loop over bytes three times as long. @returns where the object ends */
  #write(target: DataView, start: number, { view, start: rowStart }: RowBytes): number {
    let at = start;
    let from = rowStart;
    for (const { words, length } of this.#before) {
      for (let i = 0; i < words.length; i++) target.setInt32(at + i * WORD_BYTES, words[i]!, true);
      at += length;
      let size = view.getUint8(from++);
      if (size === LONG) {
        size = view.getUint32(from, true);
        from += LONG_PREFIX_BYTES - 1;
      }
      for (let i = 0; i < size; i += WORD_BYTES) target.setInt32(at + i, view.getInt32(from + i, true), true);
      at += size;
      from += size;
    }
    target.setUint8(at++, BRACE);
    return at;
  }
}

function wordsOf(text: string): { words: Int32Array; length: number } {
  const bytes = Buffer.from(text);
  const padded = Buffer.concat([bytes, Buffer.alloc(SPARE_BYTES)]);
  const words = Int32Array.from({ length: padded.length >>> 2 }, (_, i) => padded.readInt32LE(i * WORD_BYTES));
  return { words, length: bytes.length };
}

/** Writes a text as JSON; most have nothing to escape and are ASCII, and need no call. @returns where it ends */
function writeText(target: Buffer, start: number, text: string): number {
  const { length } = text;
  if (length + 2 >= LONG) return writeLong(target, start, JSON.stringify(text));
  let at = start + 1;
  target[at++] = QUOTE;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH)
      return writeLong(target, start, JSON.stringify(text));
    target[at++] = code;
  }
  target[at++] = QUOTE;
  target[start] = length + 2;
  return at;
}

/** Writes a text of ASCII as it is. */
function writePlain(target: Buffer, start: number, text: string, length: number): number {
  target[start] = length;
  for (let i = 0; i < length; i++) target[start + 1 + i] = text.charCodeAt(i);
  return start + 1 + length;
}

/** Writes a text of any length, in UTF-8. */
function writeLong(target: Buffer, start: number, text: string): number {
  const { written: length } = UTF8.encodeInto(text, target.subarray(start + LONG_PREFIX_BYTES));
  target[start] = LONG;
  target.writeUInt32LE(length, start + 1);
  return start + LONG_PREFIX_BYTES + length;
}

const COMMA = ",".charCodeAt(0);
const BRACE = "}".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const DELETE = 0x7f;
