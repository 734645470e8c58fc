/** The body of an answer as text: what it is compressed by, and how its letters are written. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import type { AnswerHeaders } from "./retry-after.ts";

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const [ofGzip, ofZlib, ofDeflate]: Decompress[] = [promisify(gunzip), promisify(inflate), promisify(inflateRaw)];
const CODINGS: Record<string, Decompress> = {
  gzip: ofGzip!,
  "x-gzip": ofGzip!,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  // RFC 9110 means the form with a header; many send the bare one.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? ofZlib : ofDeflate)!(bytes, options),
};
const MAX_CODINGS = 3;

/** A body that is not what its headers say. */
export class BrokenBody extends Error {}
/** A body that is larger than it may be once it is decompressed. */
export class OversizeBody extends Error {}

/** The bytes of a body without what they are compressed by. @throws BrokenBody, OversizeBody */
export async function bodyBytes(body: Buffer, headers: AnswerHeaders, maxBytes: number): Promise<Buffer> {
  const codings = (headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "");
  // An unknown coding counts as none, as in browsers: some servers write there what is no compression.
  const known = codings.every((coding) => Object.hasOwn(CODINGS, coding)) ? codings : [];
  if (known.length > MAX_CODINGS) throw new BrokenBody(`${known.length} content codings`);
  let bytes = body;
  for (const coding of known.toReversed()) {
    if (bytes.length === 0) break;
    try {
      bytes = await CODINGS[coding]!(bytes, { maxOutputLength: maxBytes });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw new OversizeBody("", { cause });
      throw new BrokenBody(`no ${coding}`, { cause });
    }
  }
  return bytes;
}

/**
 * The bytes as UTF-16 by its mark, or by the zero in its first letter; otherwise as UTF-8 if that is valid, also where the
 * header names another charset, as clients read JSON; otherwise in the header's charset.
 */
export function lettersOf(bytes: Buffer, contentType = ""): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (second === 0 && first !== 0) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0 && second !== undefined && second !== 0) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decoderOf(/;\s*charset="?([\w.:-]{1,40})/i.exec(contentType)?.[1]).decode(bytes);
  }
}

function decoderOf(label = "utf-8"): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
