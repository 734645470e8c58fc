/** One run of Ponder: start on its schema, publish when it has caught up, watch until it ends or must be ended. */
import type { RpcNodeStats } from "../clients/ports.ts";
import type { LastFailure } from "../core/views/backfill.ts";
import { sleep } from "./backoff.ts";
import { recordSeenHashes, refillHoles, startNextGeneration } from "./block-hashes.ts";
import { type Hole, type Refills, watchCompleteness } from "./completeness.ts";
import type { Nodes } from "./node.ts";
import { failureNow, type PonderProcess, withPonder } from "./ponder-process.ts";
import { historyOf, type Progress, readProgress } from "./ponder-tables.ts";
import type { Session } from "./session.ts";
import { declareStale, pruneSchemas, publishIndex, readServed, recordIncomplete, recordState } from "./views.ts";
import { type Alarm, watch } from "./watchdog.ts";

/** Milliseconds between two checks of the watchdog; two checks and a restart take below the 30 s in which staleness must show. */
const CHECK_MS = 10_000;
/** Milliseconds between two looks whether another build serves its index: until then both index, each its own. */
const SERVED_MS = 30_000;
/** Milliseconds between two checks when a backfill has reached its end, and after a suspicious check. */
const SOON_CHECK_MS = 1_000;
/** Milliseconds between two reads of progress while the views wait for an index. */
const CATCH_UP_MS = 100;

/** How far the running index is; reported after every read of progress. */
export type Report = {
  schema: string;
  progress: Progress | null;
  /** The chain's head at the last check of the watchdog; null before the node has answered. */
  head: number | null;
  /** The views show this index. */
  published: boolean;
  metricsUrl: string;
  /** Identifies the run of Ponder: its counters begin at 0 with each. */
  run: number;
  lastFailure: LastFailure | null;
  nodes: readonly RpcNodeStats[];
};

/** The index lacks what its chain has: only an index that reads these blocks again is complete. */
type Incomplete = { kind: "incomplete"; holes: readonly Hole[]; reason: string };

const namesOf = (holes: readonly Hole[]) => holes.map(({ reason }) => reason).join("; ");

/** Runs Ponder on a prepared schema. @returns why the run ended, in a few words */
export async function runIndex(
  session: Session,
  options: {
    nodes: Nodes;
    schema: string;
    env: Record<string, string | undefined>;
    /** When holes may be read again. */
    refills: Refills;
    onReport: (report: Report) => void;
  },
): Promise<string> {
  const { db, config, log } = session;
  const { schema, env } = options;
  const fetchOnly = await historyOf(db, schema);
  return withPonder(session, { schema, env, fetchOnly, listen: config.indexer }, async (ponder) => {
    const end = await follow(session, ponder, options);
    if (typeof end === "string") return end;
    log.error(end.reason);
    if (end.kind === "replaced") await declareStale(db, end.reason);
    await ponder.stop();
    if (end.kind === "incomplete") await refillHoles(db, config.chain.id, end.holes);
    if (end.kind === "replaced") await startNextGeneration(db, config.chain.id, end.forkBlock);
    return end.reason;
  });
}

/** An index can be published when it has every block up to the first of the chain's head and other ends. */
const isCaughtUp = (
  progress: Progress | null,
  head: number | null,
  ...ends: (number | undefined)[]
): progress is Progress =>
  head !== null && progress?.ready === true && progress.block >= Math.min(head, ...ends.map((end) => end ?? head));

/** Follows a run until it ends, an alarm ends it, or `stop` is called. @returns the alarm, or why it ended without one */
async function follow(
  { db, config, log, stopping }: Session,
  ponder: PonderProcess,
  { nodes: { node, pool }, schema, refills, onReport }: Parameters<typeof runIndex>[1],
): Promise<Alarm | Incomplete | string> {
  const { failures } = ponder;
  const completeness = watchCompleteness({ db, pool, contracts: config.indexed });
  const watchdog = watch({ db, node, chainId: config.chain.id, schema, failures, stallMs: config.watchdogStallMs });
  const before = await readServed(db);
  // Readers must not lose blocks that they have, unless the served rows are known to be wrong.
  const served = before.serves === null || before.stale ? null : await readProgress(db, before.serves);
  let published = false;
  let [nextCheckAt, nextServedAt] = [0, 0];
  let trouble: string | null = null;
  let ended: string | undefined;
  void ponder.ended.then((how) => {
    ended = how;
  });

  while (!stopping.aborted) {
    if (ended !== undefined) {
      if (ponder.failures.foreignSchema) await recordState(db, { generation: before.generation + 1 });
      return `Ponder ended (${ended})`;
    }
    const progress = await readProgress(db, schema);
    await recordSeenHashes(db, config.chain.id, ponder.takeSeenHashes(), progress?.finalizedBlock ?? null);
    if (performance.now() >= nextCheckAt) {
      const alarm = await watchdog.check(progress);
      if (alarm !== null) return alarm;
      if (watchdog.trouble !== trouble && watchdog.trouble !== null) log.error(`watchdog: ${watchdog.trouble}`);
      trouble = watchdog.trouble;
      const calm =
        (published || (watchdog.head !== null && !progress?.ready)) &&
        !watchdog.suspicious &&
        !completeness.suspicious &&
        !ponder.failures.beyondFinality;
      nextCheckAt = performance.now() + (calm ? CHECK_MS : SOON_CHECK_MS);
      if (published) {
        if (performance.now() >= nextServedAt) {
          nextServedAt = performance.now() + SERVED_MS;
          const state = await readServed(db);
          if (state.schema !== schema) return await standBy(ponder);
          await pruneSchemas(db, schema, state);
        }
        const incomplete = await judged(await completeness.check(progress));
        if (incomplete !== null) return incomplete;
      }
    }
    if (!published && isCaughtUp(progress, watchdog.head, served?.block, config.chain.endBlock)) {
      await publishIndex(db, schema);
      published = true;
      log.info(`serving ${schema} at block ${progress.block}`);
    }
    const { metricsUrl, nodes, pid: run = 0 } = ponder;
    const lastFailure = watchdog.trouble === null ? ponder.failures.last : failureNow(watchdog.trouble);
    onReport({ schema, progress, head: watchdog.head, published, metricsUrl, run, lastFailure, nodes });
    await Promise.race([ponder.ended, sleep(published ? nextCheckAt - performance.now() : CATCH_UP_MS, stopping)]);
  }
  return "asked to stop";

  /** Records what the index lacks. @returns the holes, when they are to be read again now */
  async function judged(holes: Hole[] | null): Promise<Incomplete | null> {
    if (holes === null) return null;
    const reason = holes.length === 0 ? null : `The index lacks what its chain has: ${namesOf(holes)}.`;
    await recordIncomplete(db, reason);
    if (reason === null || !refills.due()) return null;
    refills.begin();
    return { kind: "incomplete", holes, reason };
  }

  /** Another build has published its index: this launcher ends Ponder, leaves the views alone and waits for `stop`. */
  async function standBy(ponder: PonderProcess): Promise<string> {
    log.warn("another build of the indexer has taken over: standing by");
    await ponder.stop();
    while (!stopping.aborted) await sleep(CHECK_MS, stopping);
    return "asked to stop";
  }
}
