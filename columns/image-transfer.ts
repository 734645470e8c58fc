/** Sends a table's image from one process to another: a description as a message, and the bytes of its arrays as a stream. */
import type { TableImage } from "./table-image.ts";

const ARRAYS = { Int32Array, Uint32Array, Uint8Array, Float64Array };
type ArrayName = keyof typeof ARRAYS;
type AnyArray = InstanceType<(typeof ARRAYS)[ArrayName]>;

/** An image in which every typed array is replaced by its type and length. */
export type ImageDescription = { readonly described: unknown };
type ArrayHeader = { array: ArrayName; length: number };

const isArrayHeader = (value: object): value is ArrayHeader => "array" in value && "length" in value;

/** @returns `parts`: the bytes of all arrays in order; `receiveImage` rebuilds the arrays from them */
export function describeImage(image: TableImage): { description: ImageDescription; parts: Uint8Array[] } {
  const parts: Uint8Array[] = [];
  const described = replaceArrays(image, (array) => {
    const { buffer, byteOffset, byteLength } = array;
    for (let at = 0; at < byteLength; at += PART)
      parts.push(new Uint8Array(buffer, byteOffset + at, Math.min(PART, byteLength - at)));
    return { array: array.constructor.name as ArrayName, length: array.length } satisfies ArrayHeader;
  });
  return { description: { described }, parts };
}

/** Max bytes of a part, so that the sender can wait for the reader between two parts. */
const PART = 2 ** 20;

/**
 * Rebuilds the image from the received bytes, chunk by chunk, so that a hundred megabytes do not block the event loop.
 * @throws Error when the bytes end too early
 */
export async function receiveImage(
  { described }: ImageDescription,
  chunks: AsyncIterable<Uint8Array>,
): Promise<TableImage> {
  const arrays: Uint8Array[] = [];
  const image = fillArrays(described, (header) => {
    const array = new ARRAYS[header.array](header.length);
    if (array.byteLength > 0) arrays.push(new Uint8Array(array.buffer));
    return array;
  });
  let index = 0;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length && index < arrays.length; ) {
      const array = arrays[index]!;
      const size = Math.min(chunk.length - at, array.length - filled);
      array.set(chunk.subarray(at, at + size), filled);
      at += size;
      filled += size;
      if (filled < array.length) continue;
      index++;
      filled = 0;
    }
  }
  if (index < arrays.length) throw new Error("a table's image ended too soon");
  return image as TableImage;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !(value instanceof Map) && !ArrayBuffer.isView(value);

function replaceArrays(value: unknown, replace: (array: AnyArray) => ArrayHeader): unknown {
  if (ArrayBuffer.isView(value)) return replace(value as AnyArray);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceArrays(member, replace)]));
}

function fillArrays(value: unknown, make: (header: ArrayHeader) => AnyArray): unknown {
  if (!isPlain(value)) return value;
  if (isArrayHeader(value)) return make(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillArrays(member, make)]));
}
