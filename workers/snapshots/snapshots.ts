/** Makes the daily snapshot of all that is public, and removes old ones. */

import { fork } from "node:child_process";
import { join } from "node:path";
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
import {
  beginSnapshot,
  finishSnapshot,
  remove,
  removeSnapshots,
  snapshotIds,
  snapshotManifest,
} from "../../db/snapshots/folder.ts";
import { FORMULA, SNAPSHOT_COLUMNS } from "../../db/snapshots/tables.ts";
import { entryOf } from "../../runtime/processes.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { snapshotReadme } from "./readme.ts";
import type { SnapshotMade, SnapshotReply, SnapshotRequest } from "./snapshot-process.ts";

const DAY_MS = 86_400_000;
/** Max milliseconds of the process; a million agents take a minute. */
const MAKE_TIMEOUT_MS = 3_600_000;

/** Points of `FAULT_POINT` in the job. */
export const SNAPSHOT_FAULT_POINTS = ["snapshot.begun", "snapshot.made", "snapshot.finished"] as const;

/**
 * Check then write: the newest snapshot's age, then a folder with a name of its own, renamed to its id; two processes may
 * make one each: a folder of that id is there already, and the second one's is removed.
 * Resumes: not at all: what a crash left is removed by a later run, and the snapshot is made anew.
 */
export const snapshots = defineJob({
  name: "snapshots",
  schedule: { everyMs: 600_000 },
  async run(context) {
    const { db, clock, config } = context;
    const { folder, retentionMs } = config.snapshots;
    if (folder === undefined) return 0;
    // First, so that a full disk gets room again.
    const removed = removeSnapshots(folder, new Date(clock().getTime() - retentionMs));
    const newest = snapshotIds(folder)[0];
    if (newest !== undefined && newest > snapshotId(new Date(clock().getTime() - DAY_MS))) return removed;
    // Scores of an index that is still catching up are not what it will say.
    if (!isCurrent(await readIndexState(db), clock())) return removed;
    await makeSnapshot(context, {
      folder,
      url: config.database.url!,
      chainId: config.chain.id,
      registry: config.contracts.identity.address,
      publicUrl: config.service.publicUrl,
    });
    return 1 + removed;
  },
});

/** `url`: of the database, with its password. `registry`: the contract of the identity tokens. */
type SnapshotOf = { folder: string; url: string; chainId: number; registry: Address; publicUrl: string };

/** Makes a snapshot in a folder of snapshots. @throws the database's error, or that the process ended */
export async function makeSnapshot(
  { clock, log, fault, snapshotSigner }: Pick<JobContext, "clock" | "log" | "fault" | "snapshotSigner">,
  { folder, url, chainId, registry, publicUrl }: SnapshotOf,
): Promise<SnapshotManifest> {
  const unfinished = beginSnapshot(folder, clock());
  try {
    fault("snapshot.begun");
    const newest = snapshotIds(folder)
      .map((id) => snapshotManifest(folder, id))
      .find((one) => one !== null);
    const previous = newest && isDeepStrictEqual(newest.columns, SNAPSHOT_COLUMNS) ? newest.id : null;
    const { head, files, ...cost } = await inProcess({
      url,
      folder: unfinished,
      previous: previous && join(folder, previous),
    });
    const { index, takenAt, epoch, events, credUpdates } = head;
    if (index.indexedBlock === null) fail("upstream_unavailable", "There is no index to take a snapshot of.");
    const content: SnapshotContent = {
      format: "agent-snapshot",
      schemaVersion: SNAPSHOT_SCHEMA_VERSION,
      id: snapshotId(takenAt),
      previous,
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
    finishSnapshot(folder, unfinished, manifest, snapshotReadme(manifest, publicUrl));
    fault("snapshot.finished");
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    log.info({ id: manifest.id, block: manifest.block, bytes, ...cost }, "a snapshot was made");
    return manifest;
  } finally {
    remove(unfinished);
  }
}

/** Makes the files in a process of their own, which returns its memory to the operating system. */
async function inProcess(request: SnapshotRequest): Promise<SnapshotMade> {
  const child = fork(entryOf("snapshot"), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), MAKE_TIMEOUT_MS);
  try {
    return await new Promise((resolve, reject) => {
      child.once("message", (reply: SnapshotReply) => {
        if ("made" in reply) resolve(reply.made);
        else reject(Object.assign(new Error(reply.failed.message), reply.failed));
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error("the process that makes the snapshot ended without one")));
      // The request holds the database's password: a message stays private, arguments and environment do not.
      child.send(request, (error) => error && reject(error));
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
