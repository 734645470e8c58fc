/** A table's image on its way between two processes: a description that fits into a message, and the bytes of its arrays behind it. */
import type { TableImage } from "./table-image.ts";

const ARRAYS = { Int32Array, Uint32Array, Uint8Array, Float64Array };
type ArrayName = keyof typeof ARRAYS;
type AnyArray = InstanceType<(typeof ARRAYS)[ArrayName]>;

/** An image in which every typed array is replaced by what it is and how long. */
export type ImageDescription = { readonly described: unknown };
type Absent = { array: ArrayName; length: number };

const isAbsent = (value: object): value is Absent => "array" in value && "length" in value;

/** @returns parts whose bytes, one after the other, `receiveImage` makes the arrays of again */
export function describeImage(image: TableImage): { description: ImageDescription; parts: Uint8Array[] } {
  const parts: Uint8Array[] = [];
  const described = replaceArrays(image, (array) => {
    const { buffer, byteOffset, byteLength } = array;
    for (let at = 0; at < byteLength; at += PART)
      parts.push(new Uint8Array(buffer, byteOffset + at, Math.min(PART, byteLength - at)));
    return { array: array.constructor.name as ArrayName, length: array.length } satisfies Absent;
  });
  return { description: { described }, parts };
}

/** Bytes of a part at most, so that a sender can wait for its reader. */
const PART = 2 ** 20;

/**
 * Makes the image again from the bytes that arrive. It is filled chunk by chunk: a hundred megabytes hold nobody up.
 * @throws Error when the bytes end too soon
 */
export async function receiveImage(
  { described }: ImageDescription,
  chunks: AsyncIterable<Uint8Array>,
): Promise<TableImage> {
  const arrays: Uint8Array[] = [];
  const image = fillArrays(described, (absent) => {
    const array = new ARRAYS[absent.array](absent.length);
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

function replaceArrays(value: unknown, replace: (array: AnyArray) => Absent): unknown {
  if (ArrayBuffer.isView(value)) return replace(value as AnyArray);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceArrays(member, replace)]));
}

function fillArrays(value: unknown, make: (absent: Absent) => AnyArray): unknown {
  if (!isPlain(value)) return value;
  if (isAbsent(value)) return make(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillArrays(member, make)]));
}
