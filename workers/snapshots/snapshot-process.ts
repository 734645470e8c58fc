/** Process that writes the files of one snapshot: reading all tables takes a minute of computing, and memory that ends with it. */
import { setPriority } from "node:os";
import { readSnapshot, type SnapshotHead } from "../../db/snapshots/read-tables.ts";
import { asChild } from "../../runtime/child-task.ts";
import { type Files, makeFiles } from "./make-files.ts";

/** `folder`: for the files. `previous`: folder of the snapshot that deltas lead on from. */
export type SnapshotRequest = { url: string; folder: string; previous: string | null };
export type SnapshotMade = { head: SnapshotHead; files: Files };

/** Traffic and transactions go first. */
const NICE = 10;
setPriority(NICE);

asChild(
  ({ url, folder, previous }: SnapshotRequest): Promise<SnapshotMade> =>
    readSnapshot(url, async ({ lines, ...head }) => ({
      head,
      files: await makeFiles({ lines, ...head }, folder, previous),
    })),
);
