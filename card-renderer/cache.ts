/** Cache of drawn cards, in memory and optionally on disk; both are bounded and drop the least recently used card first. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CardFormat } from "../core/card/draw.ts";

export type CardCache = {
  /** Null when the card is missing; a damaged file counts as missing. */
  get(key: string, format: CardFormat): Promise<{ bytes: Uint8Array; from: "memory" | "disk" } | null>;
  /** Stores the bytes; never throws: a card that could not be stored is drawn again. */
  put(key: string, format: CardFormat, bytes: Uint8Array): Promise<void>;
  stats(): { memoryBytes: number; memoryCards: number; diskErrors: number };
};

const KEY = /^[0-9a-z-]{1,100}$/;
const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
/** The chunk IEND with its checksum. */
const PNG_END = Buffer.from("0000000049454e44ae426082", "hex");
/** Age in milliseconds at which a draft counts as left by a killed process. */
const ABANDONED_MS = 60_000;

/**
 * @param dir folder of the cards on disk, shared by any number of processes; created when missing
 * @param memoryBytes max bytes in memory
 * @param diskBytes max bytes in the folder; a sweep runs each time an eighth of it has been written, so each process may
 *   exceed it by that much
 */
export function createCardCache(options: { dir?: string; memoryBytes: number; diskBytes: number }): CardCache {
  const memory = createMemory(options.memoryBytes);
  const disk = options.dir === undefined ? null : createDisk(options.dir, options.diskBytes);
  return {
    async get(key, format) {
      const entry = memory.get(key);
      if (entry) return { bytes: entry, from: "memory" };
      const bytes = (await disk?.read(key, format)) ?? null;
      if (!bytes) return null;
      memory.put(key, bytes);
      return { bytes, from: "disk" };
    },
    async put(key, format, bytes) {
      memory.put(key, bytes);
      await disk?.write(key, format, bytes);
    },
    stats: () => ({ ...memory.stats(), diskErrors: disk?.errors() ?? 0 }),
  };
}

/** Cards in memory; the least recently used goes first. */
function createMemory(maxBytes: number) {
  /** In the order of last use, the oldest first. */
  const cards = new Map<string, Uint8Array>();
  let total = 0;

  const put = (key: string, bytes: Uint8Array) => {
    if (bytes.byteLength > maxBytes) return;
    total += bytes.byteLength - (cards.get(key)?.byteLength ?? 0);
    cards.delete(key);
    cards.set(key, bytes);
    for (const [oldest, { byteLength }] of cards) {
      if (total <= maxBytes) break;
      cards.delete(oldest);
      total -= byteLength;
    }
  };

  return {
    get(key: string): Uint8Array | undefined {
      const bytes = cards.get(key);
      if (bytes) put(key, bytes);
      return bytes;
    },
    put,
    stats: () => ({ memoryBytes: total, memoryCards: cards.size }),
  };
}

/** Cards in a folder, one file each; errors are counted and never thrown. */
function createDisk(dir: string, maxBytes: number) {
  let errors = 0;
  let writtenSinceSweep = 0;
  let sweeping: Promise<void> | null = null;

  const path = (key: string, format: CardFormat) => {
    if (!KEY.test(key)) throw new Error("a cache key is a hash, not a path");
    return join(dir, `${key}.${format}`);
  };

  return {
    errors: () => errors,

    /** Null when the card is missing; a damaged file is removed and counts as missing. */
    async read(key: string, format: CardFormat): Promise<Uint8Array | null> {
      const file = path(key, format);
      try {
        const bytes = await readFile(file);
        if (!IS_WHOLE[format](bytes)) {
          await rm(file, { force: true });
          return null;
        }
        const now = new Date();
        await utimes(file, now, now);
        return bytes;
      } catch (error) {
        if (!isMissing(error)) errors++;
        return null;
      }
    },

    async write(key: string, format: CardFormat, bytes: Uint8Array): Promise<void> {
      // A draft is written and renamed, so a reader sees the whole card or none.
      const draft = join(dir, `${randomUUID()}.tmp`);
      try {
        await mkdir(dir, { recursive: true });
        await writeFile(draft, bytes);
        await rename(draft, path(key, format));
        writtenSinceSweep += bytes.byteLength;
        if (writtenSinceSweep > maxBytes / 8) {
          writtenSinceSweep = 0;
          sweeping ??= sweep(dir, maxBytes).finally(() => {
            sweeping = null;
          });
          await sweeping;
        }
      } catch {
        errors++;
        await rm(draft, { force: true }).catch(() => {});
      }
    },
  };
}

/** Removes abandoned drafts, and the least recently used cards until the folder is at 90 % of its max. */
async function sweep(dir: string, maxBytes: number): Promise<void> {
  const names = await readdir(dir);
  const files = await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(dir, name)).catch(() => null);
      return { name, bytes: file?.size ?? 0, usedAt: file?.mtimeMs ?? 0 };
    }),
  );
  const drafts = files.filter(({ name, usedAt }) => name.endsWith(".tmp") && usedAt < Date.now() - ABANDONED_MS);
  const cards = files.filter(({ name }) => /\.(png|webp)$/.test(name)).sort((a, b) => a.usedAt - b.usedAt);
  let excess = cards.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes * 0.9;
  const oldest = cards.filter(({ bytes }) => {
    const goes = excess > 0;
    excess -= bytes;
    return goes;
  });
  for (const { name } of [...drafts, ...oldest]) await rm(join(dir, name), { force: true });
}

const IS_WHOLE: Record<CardFormat, (bytes: Buffer) => boolean> = {
  png: (bytes) =>
    bytes.subarray(0, PNG_START.length).equals(PNG_START) && bytes.subarray(-PNG_END.length).equals(PNG_END),
  // The header of RIFF has the number of bytes that follow its first eight.
  webp: (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" &&
    bytes.toString("latin1", 8, 12) === "WEBP" &&
    bytes.readUInt32LE(4) === bytes.length - 8,
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
