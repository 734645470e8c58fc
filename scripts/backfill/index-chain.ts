/** `npm run backfill` without options runs the indexer until it has caught up with the chain; with `--watch` it shows the progress of one that runs. */

import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { type Config, childEnvironment } from "../../config/config.ts";
import { type BackfillProgress, readBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { launchIndexer } from "../../indexer/launcher.ts";
import { indexerGauges } from "../../ops/metrics/indexer.ts";
import { openOps } from "../../ops/open.ts";
import { CommandError } from "./arguments.ts";
import type { Display } from "./display.ts";
import { count, duration } from "./formats.ts";

/** @param stopping aborted when the operator interrupts; the index keeps what it has */
export async function indexChain(
  config: Config,
  { log, display, stopping }: { log: Logger; display: Display; stopping: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  const ops = openOps(config, "indexer", log);
  const gauges = ops && indexerGauges(ops.registry);
  await ops?.listen({ more: gauges!.ponderMetrics });
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  stopping.addEventListener("abort", finish);
  let last: BackfillProgress | undefined;
  const launcher = launchIndexer({
    config,
    log,
    env: childEnvironment({}).all,
    waits: false,
    onReport(report, progress) {
      gauges?.onReport(report, progress);
      if (progress === undefined) return;
      last = progress;
      display.show(progress);
      if (progress.state === "done" && report.published && atGoal(report, config)) finish();
    },
  });
  try {
    await Promise.race([launcher.done, finished]);
  } finally {
    await launcher.stop();
    await ops?.close();
  }
  if (last === undefined || stopping.aborted) return;
  display.show(last, { force: true });
  const seconds = (performance.now() - startedAt) / 1_000;
  display.line(`caught up at block ${count(last.block ?? 0)} in ${duration(seconds)}, ${count(last.events)} events`);
}

const atGoal = (
  { progress, head }: { progress: { block: number } | null; head: number | null },
  { chain: { endBlock } }: Config,
): boolean => progress !== null && head !== null && progress.block >= Math.min(head, endBlock ?? head);

/**
 * Ends when the index has caught up, or at an interrupt.
 * @throws CommandError when no indexer runs
 */
export async function watchIndexer(
  db: pg.Client,
  { display, stopping }: { display: Display; stopping: AbortSignal },
): Promise<void> {
  for (;;) {
    const recorded = await readBackfillProgress(db);
    if (recorded === null || recorded.silent)
      throw new CommandError("No indexer runs on this database: start npm run indexer, or npm run backfill.");
    const done = recorded.state === "done";
    display.show(recorded, { force: done });
    if (done) return display.line("the index has caught up and is served");
    if (stopping.aborted) return;
    await wait(display.everyMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
  }
}
