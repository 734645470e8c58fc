/** The bytes of a rendered row. */
import type { RowBytes } from "../../columns/row-cache.ts";

export const bytesOf = ({ view, start, end }: RowBytes): Buffer =>
  Buffer.from(view.buffer as ArrayBuffer, view.byteOffset + start, end - start);
