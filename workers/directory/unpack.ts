/** Unpacks what agents have packed into a data URI, up to a size: what would be larger is refused before it is made. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { defect } from "../../core/directory/file-defects.ts";
import type { Unpack } from "../../core/directory/foreign-registration-file.ts";

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const CODINGS: Record<string, Decompress> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

export const unpack: Unpack = (coding, bytes, most) => {
  const decompress = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  if (decompress === undefined) return { kind: "refused", why: defect("data_coding", coding) };
  try {
    return { kind: "unpacked", bytes: decompress(bytes, { maxOutputLength: most }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return { kind: "refused", why: isTooLarge ? "too_large" : "data_undecodable" };
  }
};
