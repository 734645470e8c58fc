/** The launcher: keeps one indexer of this build running through crashes, lost connections and chain reorganisations. */
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { BackfillProgress } from "../core/views/backfill.ts";
import { backoff } from "./backoff.ts";
import { type GivenCheckpoint, takeCheckpoint } from "./checkpoint/take.ts";
import { openRefills } from "./completeness.ts";
import { type Nodes, openNodes } from "./node.ts";
import { PONDER_VERSION, unverifiedVersion } from "./preload/ponder-package.ts";
import { prepareSchema } from "./preparation.ts";
import { progressRecorder } from "./progress/recorder.ts";
import { type Report, runIndex } from "./run.ts";
import { indexBuild, LaunchError } from "./schema-name.ts";
import { type Session, withSession } from "./session.ts";

/** Milliseconds after which a run counts as successful; a failure after it waits the shortest backoff. */
const STABLE_MS = 60_000;

export type Launcher = {
  /** Rejects with LaunchError when the configuration or Ponder's version cannot work; otherwise ends only by `stop`. */
  readonly done: Promise<void>;
  /** Ends Ponder in order and releases the lock. */
  stop(): Promise<void>;
};

/**
 * Starts the indexer.
 * Resumes: at Ponder's checkpoint, after pauses of 0.5 to 30 s; one that stalls for 20 s is restarted, and blocks that
 * are gone are in preload/removed-blocks.ts.
 * @param options.env environment of Ponder's process; `loadConfig` must make the same configuration of it
 * @param options.checkpoint what a new index begins with; undefined: with the first block
 * @param options.onReport called after every read of progress, with the last record of the backfill's progress
 * @param options.waits false: ends with AlreadyRunning while another launcher of the build has the lock
 * @param options.ponderVersion version of the installed Ponder; only tests give another
 */
export function launchIndexer(options: {
  config: Config;
  env: Record<string, string | undefined>;
  log: Logger;
  checkpoint?: GivenCheckpoint | undefined;
  onReport?: (report: Report, progress: BackfillProgress | undefined) => void;
  waits?: boolean;
  ponderVersion?: string;
}): Launcher {
  const { config, env, log, onReport, waits = true, ponderVersion = PONDER_VERSION } = options;
  const stopping = new AbortController();
  const { pause, reset } = backoff(stopping.signal);
  const recorder = progressRecorder({
    chainId: config.chain.id,
    contracts: Object.entries(config.indexed).map(([name, contract]) => ({ name, ...contract })),
    endBlock: config.chain.endBlock,
  });
  const refills = openRefills();
  let given = options.checkpoint;
  let nodes: Nodes | undefined;
  const done = keepRunning().finally(() => nodes?.pool.close());
  return {
    done,
    async stop() {
      stopping.abort();
      await done.catch(() => {});
    },
  };

  /** Opens a new session after each lost one, until `stop`. */
  async function keepRunning(): Promise<void> {
    const unverified = unverifiedVersion(ponderVersion);
    if (unverified !== null) throw new LaunchError(unverified);
    const databaseUrl = config.database.indexerUrl;
    if (!databaseUrl) throw new LaunchError("DATABASE_URL is not set and no local stack is running.");
    const build = indexBuild(config);
    while (!stopping.signal.aborted) {
      try {
        await withSession({ databaseUrl, config, build, log, stopping: stopping.signal, waits }, keepIndexing);
      } catch (error) {
        if (error instanceof LaunchError) throw error;
        log.error({ err: error }, "the database session is lost; the indexer opens a new one");
        await pause();
      }
    }
  }

  /** Starts Ponder again after each run, until the session is lost or `stop` is called. */
  async function keepIndexing(session: Session): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const why = await runOnce(session);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_MS) reset();
      await recorder.failed(session.db, why);
      log.warn(`indexing starts again: ${why}`);
      await pause();
    }
  }

  /** @returns why the run ended */
  async function runOnce(session: Session): Promise<string> {
    nodes ??= openNodes(config, log);
    if (!(await nodes.answer())) return "no JSON-RPC node answers";
    const { node } = nodes;
    const schema = await prepareSchema(session, node);
    if (schema === null) return "the node is behind the index";
    if (stopping.signal.aborted) return "asked to stop";
    if (given !== undefined) {
      const why = await takeCheckpoint({ session, nodes, env, schema, given });
      if (why !== null) return why;
      given = undefined;
    }
    const report = (report: Report) => {
      recorder.report(session.db, report);
      onReport?.(report, recorder.last);
    };
    return runIndex(session, { nodes, schema, env, refills, onReport: report });
  }
}
