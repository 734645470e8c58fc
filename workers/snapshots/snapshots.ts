/** Makes the daily snapshot of all that is public, and removes old ones. */
import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import {
  SNAPSHOT_SCHEMA_VERSION,
  type SnapshotContent,
  type SnapshotManifest,
  snapshotDigest,
  snapshotId,
} from "../../core/snapshots/manifest.ts";
import { isCurrent, readIndexState } from "../../db/operations/index-state.ts";
import { firstSnapshot, type SnapshotPlace } from "../../db/snapshots/place.ts";
import { FORMULA, SNAPSHOT_COLUMNS } from "../../db/snapshots/tables.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { inChild } from "../../runtime/child-task.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { snapshotReadme } from "./readme.ts";
import type { SnapshotMade, SnapshotRequest } from "./snapshot-process.ts";

const DAY_MS = 86_400_000;
/** Max milliseconds of the process; a million agents take a minute. */
const MAKE_TIMEOUT_MS = 3_600_000;

/** Points of `FAULT_POINT` in the job. */
export const SNAPSHOT_FAULT_POINTS = ["snapshot.begun", "snapshot.made", "snapshot.finished"] as const;

/** Bytes that must be free for a snapshot where there is none yet, and for each byte of the newest one. */
const FIRST_BYTES = 256 * 2 ** 20;
const ROOM = 2;

/**
 * Check then write: the newest snapshot's age, then a folder with a name of its own, renamed to its id, or objects below it;
 * two processes may make one each where the first hung and lost its run: what is of that id already stays, and the second fails.
 * Resumes: not at all: what a crash left is removed by a later run, and the snapshot is made anew.
 */
export const snapshots = defineJob({
  name: "snapshots",
  schedule: { everyMs: 600_000 },
  async run(context) {
    const { db, clock, config, snapshots: place } = context;
    if (!place) return 0;
    const now = await databaseNow(db);
    // First, so that a full disk gets room again.
    await place.tidy();
    const removed = await removeSnapshots(place, new Date(now.getTime() - config.snapshots.retentionMs));
    const [newest] = await place.ids();
    if (newest !== undefined && newest > snapshotId(new Date(now.getTime() - DAY_MS))) return removed;
    // Scores of an index that is still catching up are not what it will say.
    if (!isCurrent(await readIndexState(db), clock())) return removed;
    await makeSnapshot(context, {
      place,
      url: config.database.url!,
      chainId: config.chain.id,
      registry: config.contracts.identity.address,
      publicUrl: config.service.publicUrl,
    });
    return 1 + removed;
  },
});

/** @returns number of snapshots removed: those taken before a time, but never the newest */
export async function removeSnapshots(place: SnapshotPlace, before: Date): Promise<number> {
  const old = (await place.ids()).slice(1).filter((id) => id < snapshotId(before));
  // The oldest first: deltas are never without the snapshot that they lead on from.
  for (const id of old.reverse()) await place.remove(id);
  return old.length;
}

/** `url`: of the database, with its password. `registry`: the contract of the identity tokens. */
type SnapshotOf = { place: SnapshotPlace; url: string; chainId: number; registry: Address; publicUrl: string };

/**
 * Makes a snapshot.
 * @param make makes its files
 * @throws the database's error, that the process ended, or that there is no room
 */
export async function makeSnapshot(
  { log, fault, snapshotSigner }: Pick<JobContext, "log" | "fault" | "snapshotSigner">,
  { place, url, chainId, registry, publicUrl }: SnapshotOf,
  make: typeof inProcess = inProcess,
): Promise<SnapshotManifest> {
  const newest = await firstSnapshot(place, await place.ids());
  const unfinished = place.begin(Math.max(FIRST_BYTES, ROOM * bytesOf(newest)));
  try {
    fault("snapshot.begun");
    const previous = newest && isDeepStrictEqual(newest.columns, SNAPSHOT_COLUMNS) ? newest : null;
    const { result, cost } = await make({
      url,
      folder: unfinished.folder,
      previous: previous && (await unfinished.linesOf(previous)),
    });
    const { head, files } = result;
    const { index, takenAt, epoch, events, credUpdates } = head;
    if (index.indexedBlock === null) fail("upstream_unavailable", "There is no index to take a snapshot of.");
    const content: SnapshotContent = {
      format: "agent-snapshot",
      schemaVersion: SNAPSHOT_SCHEMA_VERSION,
      id: snapshotId(takenAt),
      previous: previous?.id ?? null,
      takenAt: takenAt.toISOString(),
      chainId,
      registry,
      block: index.indexedBlock,
      finalizedBlock: index.finalizedBlock!,
      build: index.schema!,
      formula: FORMULA,
      epoch,
      continueFrom: { events, credUpdates },
      columns: SNAPSHOT_COLUMNS,
      files,
    };
    const signature = await snapshotSigner?.sign(snapshotDigest(content));
    const manifest = {
      ...content,
      signature: signature === undefined ? null : { signer: snapshotSigner!.address, signature },
    };
    fault("snapshot.made");
    await unfinished.finish(manifest, snapshotReadme(manifest, publicUrl));
    fault("snapshot.finished");
    log.info({ id: manifest.id, block: manifest.block, bytes: bytesOf(manifest), ...cost }, "a snapshot was made");
    return manifest;
  } finally {
    unfinished.end();
  }
}

const bytesOf = (manifest: SnapshotManifest | null): number =>
  Object.values(manifest?.files ?? {}).reduce((sum, file) => sum + file.bytes, 0);

/** Rows are garbage at once: V8 lets young objects take 100 MB by default. */
const SMALL = ["--max-semi-space-size=4"];

const inProcess = (request: SnapshotRequest) =>
  inChild<SnapshotMade>("snapshot", request, { timeoutMs: MAKE_TIMEOUT_MS, execArgv: SMALL });
