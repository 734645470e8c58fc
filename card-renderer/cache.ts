/** Drawn cards, kept in memory and, where a folder is given, on disk; both bounded, the least recently used go first. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type CardCache = {
  /** Null when it is not there. A damaged file is not there either. */
  get(key: string): Promise<{ bytes: Uint8Array; from: "memory" | "disk" } | null>;
  /** Keeps the bytes; never fails, at worst they are drawn again. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  stats(): { memoryBytes: number; memoryCards: number; diskErrors: number };
};

const KEY = /^[0-9a-z-]{1,100}$/;
const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
/** The chunk IEND with its checksum. */
const PNG_END = Buffer.from("0000000049454e44ae426082", "hex");
/** Left behind by a process that was killed while it wrote. */
const ABANDONED_MS = 60_000;

/**
 * @param dir folder of the cards on disk, shared by any number of processes; created when missing
 * @param memoryBytes bound of the memory
 * @param diskBytes bound of the folder; it is swept each time an eighth of it has been written, so it may be exceeded
 *   by that much for each process
 */
export function createCardCache(options: { dir?: string; memoryBytes: number; diskBytes: number }): CardCache {
  const { dir, memoryBytes, diskBytes } = options;
  /** Oldest use first. */
  const memory = new Map<string, Uint8Array>();
  let held = 0;
  let diskErrors = 0;
  let writtenSinceSweep = 0;
  let sweeping: Promise<void> | null = null;

  const remember = (key: string, bytes: Uint8Array) => {
    if (bytes.byteLength > memoryBytes) return;
    held += bytes.byteLength - (memory.get(key)?.byteLength ?? 0);
    memory.delete(key);
    memory.set(key, bytes);
    for (const [oldest, { byteLength }] of memory) {
      if (held <= memoryBytes) break;
      memory.delete(oldest);
      held -= byteLength;
    }
  };

  const path = (key: string) => {
    if (!KEY.test(key)) throw new Error("a cache key is a hash, not a path");
    return join(dir!, `${key}.png`);
  };

  const read = async (key: string): Promise<Uint8Array | null> => {
    const file = path(key);
    try {
      const bytes = await readFile(file);
      if (!isWholePng(bytes)) {
        await rm(file, { force: true });
        return null;
      }
      const now = new Date();
      await utimes(file, now, now);
      return bytes;
    } catch (error) {
      if (!isMissing(error)) diskErrors++;
      return null;
    }
  };

  const write = async (key: string, bytes: Uint8Array) => {
    // Written beside it and renamed: a reader sees all of a card or nothing.
    const draft = join(dir!, `${randomUUID()}.tmp`);
    try {
      await mkdir(dir!, { recursive: true });
      await writeFile(draft, bytes);
      await rename(draft, path(key));
      writtenSinceSweep += bytes.byteLength;
      if (writtenSinceSweep > diskBytes / 8) {
        writtenSinceSweep = 0;
        sweeping ??= sweep().finally(() => {
          sweeping = null;
        });
        await sweeping;
      }
    } catch {
      diskErrors++;
      await rm(draft, { force: true }).catch(() => {});
    }
  };

  /** Removes the cards unused longest until the folder is within its bound, with some room to spare. */
  const sweep = async () => {
    const names = await readdir(dir!);
    const files = await Promise.all(
      names.map(async (name) => {
        const found = await stat(join(dir!, name)).catch(() => null);
        return { name, bytes: found?.size ?? 0, usedAt: found?.mtimeMs ?? 0 };
      }),
    );
    const drafts = files.filter(({ name, usedAt }) => name.endsWith(".tmp") && usedAt < Date.now() - ABANDONED_MS);
    const cards = files.filter(({ name }) => name.endsWith(".png")).sort((a, b) => a.usedAt - b.usedAt);
    let excess = cards.reduce((sum, { bytes }) => sum + bytes, 0) - diskBytes * 0.9;
    const oldest = cards.filter(({ bytes }) => {
      const goes = excess > 0;
      excess -= bytes;
      return goes;
    });
    for (const { name } of [...drafts, ...oldest]) await rm(join(dir!, name), { force: true });
  };

  return {
    async get(key) {
      const known = memory.get(key);
      if (known) {
        remember(key, known);
        return { bytes: known, from: "memory" };
      }
      const bytes = dir ? await read(key) : null;
      if (!bytes) return null;
      remember(key, bytes);
      return { bytes, from: "disk" };
    },
    async put(key, bytes) {
      remember(key, bytes);
      if (dir) await write(key, bytes);
    },
    stats: () => ({ memoryBytes: held, memoryCards: memory.size, diskErrors }),
  };
}

const isWholePng = (bytes: Buffer): boolean =>
  bytes.subarray(0, PNG_START.length).equals(PNG_START) && bytes.subarray(-PNG_END.length).equals(PNG_END);

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
