/** Reads out of a WOFF2 file which characters its font has glyphs for. */
import { brotliDecompressSync } from "node:zlib";

/** Inclusive code point ranges, ascending. */
export type Ranges = [number, number][];

const SIGNATURE = 0x774f4632;
const HEADER_BYTES = 48;
/** Position of `cmap` in the format's list of known table tags. */
const CMAP = 0;
const GLYF = 10;
const LOCA = 11;
const OTHER_TAG = 63;

/**
 * The characters a font maps to a glyph of its own.
 * @throws Error when the bytes are no WOFF2 font with a Unicode character map.
 * @see https://www.w3.org/TR/WOFF2/ sections 4 and 5
 */
export function charactersIn(file: Uint8Array): Ranges {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.getUint32(0) !== SIGNATURE) throw new Error("not a WOFF2 file");
  const tables = view.getUint16(12);
  const compressed = view.getUint32(20);
  let at = HEADER_BYTES;
  const readBase128 = () => {
    let value = 0;
    for (let byte = 0x80; byte & 0x80; ) {
      byte = file[at++]!;
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  };
  let start = 0;
  let cmap: { start: number; length: number } | null = null;
  for (let table = 0; table < tables; table++) {
    const flags = file[at++]!;
    const tag = flags & 0x3f;
    if (tag === OTHER_TAG) at += 4;
    const version = flags >> 6;
    const length = readBase128();
    // Glyph tables are transformed unless they say otherwise, all others only if they say so.
    const transformed = tag === GLYF || tag === LOCA ? version !== 3 : version !== 0;
    const stored = transformed ? readBase128() : length;
    if (tag === CMAP) cmap = { start, length };
    start += stored;
  }
  if (!cmap) throw new Error("a font without a character map");
  const data = brotliDecompressSync(file.subarray(at, at + compressed));
  return readCharacterMap(data.subarray(cmap.start, cmap.start + cmap.length));
}

/** @see https://learn.microsoft.com/typography/opentype/spec/cmap formats 4 and 12 */
function readCharacterMap(cmap: Uint8Array): Ranges {
  const view = new DataView(cmap.buffer, cmap.byteOffset, cmap.byteLength);
  const formats = new Map<number, number>();
  for (let record = 0; record < view.getUint16(2); record++) {
    const offset = view.getUint32(4 + record * 8 + 4);
    formats.set(view.getUint16(offset), offset);
  }
  const points: number[] = [];
  const full = formats.get(12);
  const basic = formats.get(4);
  if (full !== undefined) {
    for (let group = 0; group < view.getUint32(full + 12); group++) {
      const [first, last, glyph] = [0, 4, 8].map((field) => view.getUint32(full + 16 + group * 12 + field)) as [
        number,
        number,
        number,
      ];
      for (let point = first; point <= last; point++) if (glyph + point - first !== 0) points.push(point);
    }
  } else if (basic !== undefined) {
    const segments = view.getUint16(basic + 6) / 2;
    const field = (array: number, segment: number) =>
      basic + 14 + array * segments * 2 + (array > 0 ? 2 : 0) + segment * 2;
    for (let segment = 0; segment < segments; segment++) {
      const last = view.getUint16(field(0, segment));
      const first = view.getUint16(field(1, segment));
      const delta = view.getUint16(field(2, segment));
      const offset = view.getUint16(field(3, segment));
      for (let point = first; point <= last && point < 0xffff; point++) {
        const glyph = offset === 0 ? point + delta : view.getUint16(field(3, segment) + offset + (point - first) * 2);
        if (glyph % 65536 !== 0) points.push(point);
      }
    }
  } else throw new Error("a font without a Unicode character map");
  return rangesOf(points);
}

/** Code points in any order → inclusive ranges. */
export function rangesOf(points: Iterable<number>): Ranges {
  const ranges: Ranges = [];
  for (const point of [...points].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && point <= last[1] + 1) last[1] = Math.max(last[1], point);
    else ranges.push([point, point]);
  }
  return ranges;
}
