/** What `npm run backfill` does: it runs the indexer until it has caught up with the chain, fetches a part of the history (`--contract`, `--from`, `--to`), or shows the progress of an indexer that runs (`--watch`). */
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { type Config, childEnvironment } from "../../config/config.ts";
import { readBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { FINALITY_BLOCKS } from "../../indexer/block-hashes.ts";
import { fetchPart } from "../../indexer/fetch-part.ts";
import { launchIndexer } from "../../indexer/launcher.ts";
import { type Nodes, openNodes } from "../../indexer/node.ts";
import { progressRecorder } from "../../indexer/progress/recorder.ts";
import { indexBuild } from "../../indexer/schema-name.ts";
import { withSession } from "../../indexer/session.ts";
import { indexerGauges } from "../../ops/metrics/indexer.ts";
import { openOps } from "../../ops/open.ts";
import { CommandError, indexedContracts, type Part, type Selection, selectionOf } from "./arguments.ts";
import { count, type Display, duration } from "./screen.ts";

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
  let last: Parameters<Display["show"]>[0] | undefined;
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

type BackfillRun = { log: Logger; display: Display; stopping: AbortSignal };

/** @throws CommandError, LaunchError in words for the operator */
export async function fetchHistory(config: Config, part: Part, run: BackfillRun): Promise<void> {
  const nodes = openNodes(config, run.log);
  try {
    await fetchOver(nodes, { config, part, ...run });
  } finally {
    nodes.pool.close();
  }
}

async function fetchOver(
  { node, answer }: Nodes,
  { config, part, log, display, stopping }: BackfillRun & { config: Config; part: Part },
): Promise<void> {
  const databaseUrl = config.database.indexerUrl;
  if (!databaseUrl) throw new CommandError("DATABASE_URL is not set and no local stack is running.");
  if (!config.chain.cache) throw new CommandError("RPC_CACHE is false: nothing of what is fetched would be kept.");
  if (!(await answer())) throw new CommandError("No JSON-RPC node answers.");
  const { block: head } = await node.head();
  const selection = selectionOf(part, indexedContracts(config), head - FINALITY_BLOCKS);
  const startedAt = performance.now();
  const build = indexBuild(config);
  const env = childEnvironment({}).all;
  const recorder = progressRecorder({
    chainId: config.chain.id,
    contracts: selection.contracts.map((contract) => ({ ...contract, startBlock: contract.from })),
    endBlock: selection.to,
    write: async () => {},
  });
  let fetched = false;
  await withSession({ databaseUrl, waits: false, config, build, log, stopping }, async (session) => {
    fetched = await fetchPart(session, {
      node,
      env,
      part: {
        from: Object.fromEntries(selection.contracts.map(({ name, from }) => [name, from])),
        to: selection.to,
      },
      onReport(report) {
        recorder.report(session.db, report);
        if (recorder.last) display.show(recorder.last);
      },
      onFailure: (reason) => recorder.failed(session.db, reason),
    });
  });
  if (!fetched) return;
  const seconds = (performance.now() - startedAt) / 1_000;
  display.line(`${words(selection)} is in the cache, in ${duration(seconds)}; the index was not touched`);
}

function words({ contracts, to }: Selection): string {
  const from = Math.min(...contracts.map((contract) => contract.from));
  return `the history of ${contracts.map(({ name }) => name).join(", ")} from block ${count(from)} to ${count(to)}`;
}
