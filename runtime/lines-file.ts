/** Files of lines, compressed, written as the lines come. */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** Bytes of lines that are compressed together: a member of the file's own (RFC 1952), so that no state is kept between. */
export const MEMBER_BYTES = 1 << 18;
export const NEWLINE = 10;

/** What a file has: lines, bytes as they are in the folder, and their digest. */
export type Written = { rows: number; bytes: number; sha256: string };

/** A file that is being written, line by line and at once: whoever writes waits for the disk. */
export class LinesFile {
  readonly #file: number;
  readonly #hash = createHash("sha256");
  readonly #member = Buffer.allocUnsafe(MEMBER_BYTES);
  #used = 0;
  #rows = 0;
  #bytes = 0;
  /** Bytes of the longest line. */
  longest = 0;

  /** @param path of a file that is not there yet */
  constructor(path: string) {
    this.#file = openSync(path, "wx");
  }

  write(line: Uint8Array): void {
    this.#rows++;
    if (line.length > this.longest) this.longest = line.length;
    if (this.#used + line.length >= MEMBER_BYTES) this.#flush();
    if (line.length >= MEMBER_BYTES) this.#pack(Buffer.concat([line, Buffer.of(NEWLINE)]));
    else {
      this.#member.set(line, this.#used);
      this.#used += line.length;
      this.#member[this.#used++] = NEWLINE;
    }
  }

  /** Brings the file to the disk. */
  finish(): Written {
    // A file without rows has a member too: without one it is no gzip.
    if (this.#used > 0 || this.#bytes === 0) this.#flush();
    fsyncSync(this.#file);
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    this.#pack(this.#member.subarray(0, this.#used));
    this.#used = 0;
  }

  #pack(raw: Uint8Array): void {
    const packed = gzipSync(raw, { level: 1, chunkSize: MEMBER_BYTES });
    this.#hash.update(packed);
    for (let at = 0; at < packed.length; ) at += writeSync(this.#file, packed, at);
    this.#bytes += packed.length;
  }
}
