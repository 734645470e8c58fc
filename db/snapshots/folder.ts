/**
 * The folder of snapshots: one folder for each, by its id, which comes into being whole. What is being made or removed has a
 * name with a dot before it, and is no snapshot: a crash at any instant leaves the earlier ones as they were.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  MANIFEST_FILE,
  README_FILE,
  readManifest,
  SNAPSHOT_ID,
  type SnapshotManifest,
  snapshotId,
} from "../../core/snapshots/manifest.ts";

/** Beginning of the names of what is no snapshot yet, or no longer. */
const UNFINISHED = ".unfinished-";
/** Milliseconds after which an unfinished folder is a crash's. */
const ABANDONED_MS = 3_600_000;

/** The snapshots of a folder by id, the newest first; none where there is no folder. */
export function snapshotIds(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => SNAPSHOT_ID.test(name))
      .sort()
      .reverse();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The manifest of a snapshot; null where there is none, or none that this version reads. */
export function snapshotManifest(folder: string, id: string): SnapshotManifest | null {
  if (!SNAPSHOT_ID.test(id)) return null;
  try {
    return readManifest(readFileSync(join(folder, id, MANIFEST_FILE), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The snapshots of a folder, whose manifests are read once; none without a folder. */
export function snapshotsIn(folder: string | undefined) {
  // Bound: one a day.
  const known = new Map<string, SnapshotManifest>();
  return {
    folder,
    /** The newest first. */
    ids: (): string[] => (folder === undefined ? [] : snapshotIds(folder)),
    /** Null where there is none of that id. */
    manifest(id: string): SnapshotManifest | null {
      if (folder === undefined || !existsSync(join(folder, id))) {
        known.delete(id);
        return null;
      }
      const read = known.get(id) ?? snapshotManifest(folder, id);
      if (read !== null) known.set(id, read);
      return read;
    },
  };
}

/** Whether a snapshot has a file of this name: the manifest, which alone says so, never the folder. */
export const hasFile = ({ files }: SnapshotManifest, name: string): boolean =>
  name === MANIFEST_FILE || name === README_FILE || Object.hasOwn(files, name);

/** A new folder for the files of a snapshot. Removes those that crashes have left. */
export function beginSnapshot(folder: string, now: Date): string {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    if (now.getTime() - statSync(join(folder, name)).mtimeMs > ABANDONED_MS) remove(join(folder, name));
  }
  const path = join(folder, UNFINISHED + randomUUID());
  mkdirSync(path);
  return path;
}

/** Makes a snapshot of a folder whose files are on the disk: after this it is there, whole, and before it is not. */
export function finishSnapshot(folder: string, from: string, manifest: SnapshotManifest, readme: string): void {
  store(join(from, README_FILE), readme);
  store(join(from, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  sync(from);
  renameSync(from, join(folder, manifest.id));
  sync(folder);
}

/** @returns number of snapshots removed: those taken before a time, but never the newest */
export function removeSnapshots(folder: string, before: Date): number {
  const old = snapshotIds(folder)
    .slice(1)
    .filter((id) => id < snapshotId(before));
  for (const id of old) {
    const gone = join(folder, UNFINISHED + randomUUID());
    renameSync(join(folder, id), gone);
    remove(gone);
  }
  return old.length;
}

/** Removes an unfinished snapshot. */
export const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

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
