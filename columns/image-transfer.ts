/** Sends a table's image from one process to another, in parts as they are made: a stream of descriptions, each followed by the bytes of its arrays. */
import { deserialize, serialize } from "node:v8";
import { type ImagePart, ImageParts } from "./sort-jobs.ts";
import type { TableImage } from "./table-image.ts";

const ARRAYS = { Int8Array, Int16Array, Int32Array, Uint32Array, Uint8Array, Float64Array };
type ArrayName = keyof typeof ARRAYS;
type AnyArray = Int8Array | Int16Array | Int32Array | Uint32Array | Uint8Array | Float32Array | Float64Array;

/** In the place of a typed array in a description: its type and length, and the number of its bytes that are sent. */
type ArrayHeader = { array: ArrayName; length: number; sent: number };

const isArrayHeader = (value: object): value is ArrayHeader => "array" in value && "length" in value;

/** Max bytes of a chunk, so that the sender can wait for the reader between two. */
const CHUNK_BYTES = 2 ** 20;
/** Bytes of the length of a description; length 0 ends the image. */
const LENGTH_BYTES = 4;

/**
 * The bytes of one part, in chunks: the length of its description, the description, then all arrays in order. Zeros at
 * the end of an array are not sent: they are its room to grow, and pages that were never written take no memory.
 */
export function* bytesOfPart(part: ImagePart): Generator<Uint8Array> {
  const arrays: Uint8Array[] = [];
  const described = replaceArrays(part, (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    let sent = bytes.length;
    while (sent > 0 && bytes[sent - 1] === 0) sent--;
    arrays.push(bytes.subarray(0, sent));
    return { array: array.constructor.name as ArrayName, length: array.length, sent } satisfies ArrayHeader;
  });
  const description = serialize(described);
  yield lengthBytes(description.length);
  yield description;
  for (const bytes of arrays)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Follows the last part. */
export const END_OF_IMAGE = lengthBytes(0);

function lengthBytes(length: number): Uint8Array {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeUInt32LE(length);
  return bytes;
}

/**
 * Rebuilds the image from the received bytes, chunk by chunk, so that a hundred megabytes do not block the event loop.
 * @throws Error when the bytes end too early
 */
export async function receiveImage(chunks: AsyncIterable<Uint8Array>): Promise<TableImage> {
  const source = new ByteSource(chunks);
  const parts = new ImageParts();
  for (;;) {
    const length = Buffer.alloc(LENGTH_BYTES);
    await source.fill(length);
    if (length.readUInt32LE() === 0) return parts.whole();
    const description = Buffer.alloc(length.readUInt32LE());
    await source.fill(description);
    const arrays: Uint8Array[] = [];
    const part = fillArrays(deserialize(description), (header) => {
      const array = new ARRAYS[header.array](header.length);
      arrays.push(new Uint8Array(array.buffer, 0, header.sent));
      return array;
    });
    for (const array of arrays) await source.fill(array);
    parts.add(part as ImagePart);
  }
}

/** Reads exact numbers of bytes from chunks of any size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async fill(target: Uint8Array): Promise<void> {
    for (let filled = 0; filled < target.length; ) {
      if (this.#chunk.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) throw new Error("a table's image ended too soon");
        this.#chunk = next.value;
      }
      const piece = this.#chunk.subarray(0, target.length - filled);
      target.set(piece, filled);
      filled += piece.length;
      this.#chunk = this.#chunk.subarray(piece.length);
    }
  }
}

/** All typed arrays of an image, a part of one, or a table, in order. */
export function arraysOf(value: unknown): AnyArray[] {
  const arrays: AnyArray[] = [];
  replaceArrays(value, (array) => {
    arrays.push(array);
    return array;
  });
  return arrays;
}

/** The same value with another array in place of each. */
export const mapArrays = <T>(value: T, map: (array: AnyArray) => AnyArray): T => replaceArrays(value, map) as T;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  !(value instanceof Map) &&
  !ArrayBuffer.isView(value);

function replaceArrays(value: unknown, replace: (array: AnyArray) => ArrayHeader | AnyArray): unknown {
  if (ArrayBuffer.isView(value)) return replace(value as AnyArray);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceArrays(member, replace)]));
}

function fillArrays(value: unknown, make: (header: ArrayHeader) => AnyArray): unknown {
  if (!isPlain(value)) return value;
  if (isArrayHeader(value)) return make(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillArrays(member, make)]));
}
