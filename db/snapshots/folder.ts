/**
 * The folder of snapshots: one folder for each, by its id. What is being made or removed has a name with a dot before it: a
 * crash at any instant leaves the snapshots that were there as they were.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Part } from "../../core/snapshots/bucket.ts";
import { MANIFEST_FILE, README_FILE, readManifest, SNAPSHOT_ID } from "../../core/snapshots/manifest.ts";
import type { SnapshotPlace } from "./place.ts";

/** Beginning of the names of what is no snapshot yet, or no longer. */
const UNFINISHED = ".unfinished-";
/** Milliseconds between two signs of life of the process that an unfinished folder is of, and those without one after which it has ended. */
const ALIVE_MS = 30_000;
const ENDED_MS = 10 * ALIVE_MS;
/** Bytes read at once. */
const SLICE = 1 << 18;

/** @param folder is made where it is missing, by the first snapshot */
export function snapshotFolder(folder: string): SnapshotPlace {
  const pathOf = (id: string, file: string) => join(folder, id, file);
  return {
    ids: async () =>
      namesIn(folder)
        .filter((name) => SNAPSHOT_ID.test(name))
        .sort()
        .reverse(),
    manifest: async (id) => {
      const text = SNAPSHOT_ID.test(id) && unlessMissing(() => readFileSync(pathOf(id, MANIFEST_FILE), "utf8"));
      return text ? readManifest(text) : null;
    },
    read: async (id, file, part) => {
      const opened = await open(pathOf(id, file)).catch(nullIfMissing);
      return opened && bytesOf(opened, part ?? { from: 0, to: (await opened.stat()).size - 1 });
    },
    begin: (bytes) => {
      const unfinished = beginFolder(folder, bytes);
      return {
        ...unfinished,
        linesOf: async ({ id }) => join(folder, id),
        finish: async (manifest, readme) => {
          writeHead(unfinished.folder, manifest, readme);
          renameSync(unfinished.folder, join(folder, manifest.id));
          sync(folder);
        },
      };
    },
    remove: async (id) => {
      const gone = join(folder, UNFINISHED + randomUUID());
      renameSync(join(folder, id), gone);
      remove(gone);
    },
    tidy: async () => tidyFolder(folder),
  };
}

/** Makes a new unfinished folder, which shows signs of life until its end. @throws Error where there is no room for its bytes */
export function beginFolder(inFolder: string, bytes: number): { folder: string; end(): void } {
  mkdirSync(inFolder, { recursive: true });
  const { bavail, bsize } = statfsSync(inFolder);
  if (bavail * bsize < bytes)
    throw new Error(`the disk of ${inFolder} has ${bavail * bsize} bytes free, and a snapshot may need ${bytes}`);
  const folder = join(inFolder, UNFINISHED + randomUUID());
  mkdirSync(folder);
  const alive = setInterval(() => unlessMissing(() => utimesSync(folder, new Date(), new Date())), ALIVE_MS).unref();
  return {
    folder,
    end: () => {
      clearInterval(alive);
      remove(folder);
    },
  };
}

/** Removes the unfinished folders of processes that have ended. */
export function tidyFolder(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const seen = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (seen !== undefined && Date.now() - seen > ENDED_MS) remove(path);
  }
}

/** Writes README and manifest into a folder whose files are on the disk. */
export function writeHead(folder: string, manifest: object, readme: string): void {
  store(join(folder, README_FILE), readme);
  store(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  sync(folder);
}

async function* bytesOf(file: FileHandle, { from, to }: Part): AsyncGenerator<Uint8Array, void> {
  try {
    for (let at = from; at <= to; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(SLICE, to + 1 - at)), 0, null, at);
      if (bytesRead === 0) throw new Error(`a file of a snapshot ends at ${at}`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const namesIn = (folder: string): string[] => unlessMissing(() => readdirSync(folder)) ?? [];

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** @returns null where what is read is not there */
function unlessMissing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    return nullIfMissing(error);
  }
}

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}

function store(path: string, text: string): void {
  writeFileSync(path, text, { flag: "wx" });
  sync(path);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
