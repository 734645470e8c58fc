/** Where snapshots are kept. Each comes into being whole: what a crash leaves is no snapshot. */
import type { Part } from "../../core/snapshots/bucket.ts";
import { type SnapshotManifest, snapshotId } from "../../core/snapshots/manifest.ts";

/** Milliseconds beyond the retentions for which a snapshot holds what leads on from it: time to mend the making of the next one. */
const MARGIN_MS = 7 * 86_400_000;

export type SnapshotPlace = {
  /** The snapshots by id, the newest first. */
  ids(): Promise<string[]>;
  /** Null where there is none of that id, or none that this version reads. */
  manifest(id: string): Promise<SnapshotManifest | null>;
  /** The bytes of a file, or of a part of it, read as they are taken, which they must be, or until `ended`. Null: there is no such file. */
  read(id: string, file: string, part?: Part, ended?: AbortSignal): Promise<AsyncGenerator<Uint8Array, void> | null>;
  /**
   * A new folder on this machine for the files of a snapshot, and what becomes of it.
   * @param bytes that will be needed
   * @throws Error where the disk has no room for them
   */
  begin(bytes: number): Unfinished;
  /** Removes a snapshot. */
  remove(id: string): Promise<void>;
  /** Removes what processes have left that ended in the middle of a snapshot. */
  tidy(): Promise<void>;
};

type Unfinished = {
  folder: string;
  /** A folder on this machine with the lines of an earlier snapshot. */
  linesOf(earlier: SnapshotManifest): Promise<string>;
  /** Makes a snapshot of the folder, whose files are on the disk: after this it is there, whole, and before it is not. */
  finish(manifest: Pick<SnapshotManifest, "id" | "files">, readme: string): Promise<void>;
  /** Removes the folder, finished or not. */
  end(): void;
};

/** The first snapshot, in an order of ids, whose manifest this version reads; null where there is none. */
export async function firstSnapshot(place: SnapshotPlace, ids: readonly string[]): Promise<SnapshotManifest | null> {
  for (const id of ids) {
    const manifest = await place.manifest(id);
    if (manifest !== null) return manifest;
  }
  return null;
}

/** The snapshots of a place that hold what leads on from them: those taken since a time. */
export type Holders = { place: SnapshotPlace | null | undefined; since: Date };

/** @param retentionsMs of snapshots, and of what leads on from them: where no new ones are made, the last does not fill the disk */
export const holdersAt = (now: Date, place: Holders["place"], ...retentionsMs: number[]): Holders => ({
  place,
  since: new Date(now.getTime() - Math.max(...retentionsMs) - MARGIN_MS),
});

/** The oldest snapshot of them: what leads on from it is kept as long as it is. Null: there is none. */
export const oldestSnapshot = async ({ place, since }: Holders): Promise<SnapshotManifest | null> =>
  place ? firstSnapshot(place, (await place.ids()).filter((id) => id >= snapshotId(since)).reverse()) : null;

/** As `oldestSnapshot`. `away`: why they cannot be read, with which is unknown which there are: one may be as old as can be. */
export const oldestUnlessAway = (holders: Holders): Promise<{ oldest: SnapshotManifest | null; away?: unknown }> =>
  oldestSnapshot(holders).then(
    (oldest) => ({ oldest }),
    (away: unknown) => ({ oldest: null, away }),
  );
