/** `npm run backfill`: runs the indexer with a progress bar until it has caught up with the chain, then ends. */
import { pino } from "pino";
import { childEnvironment, loadConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { LaunchError, launchIndexer } from "../indexer/launcher.ts";
import type { Report } from "../indexer/run.ts";
import { onShutdown } from "../runtime/lifecycle.ts";

const BAR_WIDTH = 24;
/** On a terminal the bar moves; elsewhere (a log) a line now and then is enough. */
const TERMINAL_MS = 500;
const LOG_MS = 10_000;

try {
  const config = loadConfig();
  const log = pino(
    { base: { name: "backfill" }, level: config.logLevel === "info" ? "warn" : config.logLevel },
    pino.destination(2),
  );
  const firstBlock = Math.min(
    ...Object.values(config.contracts).map((contract) => ("startBlock" in contract ? contract.startBlock : Infinity)),
  );
  let last: Report | undefined;
  const launcher = launchIndexer({
    config,
    log,
    env: childEnvironment({}).all,
    onReport: (report) => {
      last = report;
    },
  });
  onShutdown(() => launcher.stop());
  await Promise.race([launcher.done, showProgress(() => last, firstBlock, config.chain.endBlock)]);
  await launcher.stop();
  process.exit(0);
} catch (error) {
  if (!(error instanceof LaunchError || error instanceof ConfigError)) throw error;
  console.error(`The backfill cannot start: ${error.message}`);
  process.exit(1);
}

/** Prints until the index is served and has reached the head (or the last block asked for). */
async function showProgress(latest: () => Report | undefined, firstBlock: number, endBlock?: number): Promise<void> {
  const startedAt = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let base: { block: number; events: number; at: number } | undefined;
  for (;;) {
    await new Promise((done) => setTimeout(done, process.stdout.isTTY ? TERMINAL_MS : LOG_MS / 10));
    const report = latest();
    if (report?.head == null || report.progress === null) continue;
    const goal = Math.min(report.head, endBlock ?? report.head);
    const { block } = report.progress;
    const events = await eventsIndexed(report.metricsUrl);
    const now = performance.now();
    base ??= { block, events, at: now };
    const seconds = Math.max((now - base.at) / 1000, 0.001);
    const blocksPerSecond = (block - base.block) / seconds;
    const state = {
      done: Math.max(block - firstBlock, 0),
      total: Math.max(goal - firstBlock, 0),
      eventsPerSecond: (events - base.events) / seconds,
      secondsLeft: blocksPerSecond > 0 ? Math.max(goal - block, 0) / blocksPerSecond : Infinity,
    };
    const finished = report.published && block >= goal;
    const line = lineOf(state, finished);
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${finished ? "\n" : ""}`);
    else if (finished || now - shownAt >= LOG_MS) {
      shownAt = now;
      console.log(line);
    }
    if (finished) {
      console.log(`caught up at block ${block} in ${duration((now - startedAt) / 1000)}, ${events} events`);
      return;
    }
  }
}

/** Events Ponder has indexed in this run, from its own counters; 0 while it does not answer. */
async function eventsIndexed(metricsUrl: string): Promise<number> {
  try {
    const text = await (await fetch(metricsUrl, { signal: AbortSignal.timeout(2_000) })).text();
    const counts = text.matchAll(/^ponder_indexing_completed_events\{[^}]*\} (\d+)/gm);
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return 0;
  }
}

type State = { done: number; total: number; eventsPerSecond: number; secondsLeft: number };

function lineOf({ done, total, eventsPerSecond, secondsLeft }: State, finished: boolean): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
  const left = finished ? "done" : Number.isFinite(secondsLeft) ? `${duration(secondsLeft)} left` : "";
  return `${bar} ${(share * 100).toFixed(1).padStart(5)} %  ${done} of ${total} blocks  ${eventsPerSecond.toFixed(0)} events/s  ${left}`;
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours, minutes, rest] = parts as [number, number, number];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}
