/** Process that writes the files of one snapshot: reading all tables takes a minute of computing, and memory that ends with it. */
import { setPriority } from "node:os";
import { readSnapshot, type SnapshotHead } from "../../db/snapshots/read-tables.ts";
import { peakMemory } from "../../runtime/peak-memory.ts";
import { type Files, makeFiles } from "./make-files.ts";

/** `folder`: for the files. `previous`: folder of the snapshot that deltas lead on from. */
export type SnapshotRequest = { url: string; folder: string; previous: string | null };
export type SnapshotMade = { head: SnapshotHead; files: Files; peakBytes: number; cpuMs: number };
export type SnapshotReply = { made: SnapshotMade } | { failed: { message: string; code: string | undefined } };

/** Traffic and transactions go first. */
const NICE = 10;
setPriority(NICE);

const reply = (message: SnapshotReply) => process.send!(message);

process.once("message", async ({ url, folder, previous }: SnapshotRequest) => {
  try {
    const made = await readSnapshot(url, async ({ lines, ...head }) => {
      return { head, files: await makeFiles({ lines, ...head }, folder, previous) };
    });
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1_000);
    reply({ made: { ...made, peakBytes: peakMemory(), cpuMs } });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    reply({ failed: { message, code } });
  }
});
// Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
process.once("disconnect", () => process.exit());
process.on("SIGINT", () => {});
