/** One run of Ponder: started on its schema, published when it has caught up, watched until it ends or has to. */

import { sleep } from "./backoff.ts";
import { type Progress, readProgress, rememberSeen, startNextGeneration } from "./block-hashes.ts";
import type { Node } from "./node.ts";
import { type PonderProcess, startPonder } from "./ponder-process.ts";
import type { Session } from "./session.ts";
import { declareStale, pruneSchemas, publishIndex, readServed, recordState } from "./views.ts";
import { type Alarm, watch } from "./watchdog.ts";

/** How often the watchdog looks; two looks and the restart stay well below the 30 s in which staleness must show. */
const LOOK_MS = 5_000;
/** While an index is being built or caught up, and after a suspicious look, the next look comes sooner. */
const CLOSE_LOOK_MS = 1_000;
/** How often progress is read while the views wait for an index. */
const CATCH_UP_MS = 100;

/** How far the running index is, told after every reading. */
export type Report = {
  schema: string;
  progress: Progress | null;
  /** The chain's head at the last look. */
  head: number | null;
  /** The views show this index. */
  published: boolean;
  metricsUrl: string;
};

/** Runs Ponder on a prepared schema. @returns why the run ended, in a few words */
export async function runIndex(
  session: Session,
  options: {
    node: Node;
    schema: string;
    env: Record<string, string | undefined>;
    onReport: ((report: Report) => void) | undefined;
  },
): Promise<string> {
  const { db, config, log, lost } = session;
  const { node, schema, env, onReport } = options;
  const ponder = await startPonder({ schema, log, env, archive: config.chain.archive, listen: config.indexer });
  const kill = () => ponder.kill();
  lost.addEventListener("abort", kill);
  if (lost.aborted) kill();
  try {
    const end = await follow(session, node, schema, ponder, onReport);
    if (typeof end === "string") return end;
    log.error(end.reason);
    if (end.kind === "replaced") await declareStale(db, end.reason);
    await ponder.stop();
    if (end.kind === "replaced") await startNextGeneration(db, config.chain.id, end.forkBlock);
    return end.reason;
  } finally {
    lost.removeEventListener("abort", kill);
    await ponder.stop();
  }
}

/** Follows a run until it ends, has to end, or is asked to. @returns an alarm, or why it ended by itself */
async function follow(
  { db, config, log, stopping }: Session,
  node: Node,
  schema: string,
  ponder: PonderProcess,
  onReport: ((report: Report) => void) | undefined,
): Promise<Alarm | string> {
  const watchdog = watch({ db, node, chainId: config.chain.id, schema, news: ponder.news });
  const before = await readServed(db);
  // What readers have must not shrink, unless it is known to be wrong.
  const served = before.serves === null || before.stale ? null : await readProgress(db, before.serves);
  let published = false;
  let lookAt = 0;
  let trouble: string | null = null;
  let ended: string | undefined;
  void ponder.ended.then((how) => {
    ended = how;
  });

  /** An index takes over when it knows all that is served now, or all there is. */
  const caughtUp = (progress: Progress, head: number) =>
    progress.ready && progress.block >= Math.min(head, served?.block ?? head, config.chain.endBlock ?? head);

  while (!stopping.aborted) {
    if (ended !== undefined) {
      if (ponder.news.foreignSchema) await recordState(db, { generation: before.generation + 1 });
      return `Ponder ended (${ended})`;
    }
    const progress = await readProgress(db, schema);
    await rememberSeen(db, config.chain.id, ponder.takeSeen(), progress?.finalizedBlock ?? null);
    if (performance.now() >= lookAt) {
      const alarm = await watchdog.look(progress);
      if (alarm !== null) return alarm;
      if (watchdog.trouble !== trouble && watchdog.trouble !== null) log.error(`watchdog: ${watchdog.trouble}`);
      trouble = watchdog.trouble;
      const calm = published && !watchdog.suspicious && !ponder.news.beyondFinality;
      lookAt = performance.now() + (calm ? LOOK_MS : CLOSE_LOOK_MS);
      if (published) {
        if ((await readServed(db)).schema !== schema) return await standBy(ponder);
        await pruneSchemas(db, [schema]);
      }
    }
    const { head } = watchdog;
    if (!published && progress !== null && head !== null && caughtUp(progress, head)) {
      await publishIndex(db, schema);
      published = true;
      log.info(`serving ${schema} at block ${progress.block}`);
    }
    onReport?.({ schema, progress, head, published, metricsUrl: ponder.metricsUrl });
    await Promise.race([ponder.ended, sleep(published ? CLOSE_LOOK_MS : CATCH_UP_MS, stopping)]);
  }
  return "asked to stop";

  /** Another build has taken over the views: this launcher neither indexes nor fights, it waits to be ended. */
  async function standBy(ponder: PonderProcess): Promise<string> {
    log.warn("another build of the indexer has taken over: standing by");
    await ponder.stop();
    while (!stopping.aborted) await sleep(LOOK_MS, stopping);
    return "asked to stop";
  }
}
