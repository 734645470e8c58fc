/** The launcher: keeps one indexer of this build running, through crashes, lost connections and chains that change their mind. */
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { backoff } from "./backoff.ts";
import { chainIds, connectNode } from "./node.ts";
import { prepareSchema } from "./preparation.ts";
import { type Report, runIndex } from "./run.ts";
import { indexBuild } from "./schema-name.ts";
import { type Session, withSession } from "./session.ts";

/** A run this long was a good one: the next failure starts the backoff anew. */
const STABLE_MS = 60_000;

/** The configuration cannot work; the message says why in one sentence. */
export class LaunchError extends Error {}

export type Launcher = {
  /** Rejects with LaunchError when the configuration cannot work; otherwise ends only by `stop`. */
  readonly done: Promise<void>;
  /** Ends Ponder in order and gives the lock back. */
  stop(): Promise<void>;
};

/**
 * Starts the indexer.
 * @param options.env the environment Ponder's own process gets; it must lead to the same configuration
 * @param options.onReport called after every reading of progress
 */
export function launchIndexer(options: {
  config: Config;
  env: Record<string, string | undefined>;
  log: Logger;
  onReport?: (report: Report) => void;
}): Launcher {
  const { config, env, log, onReport } = options;
  const stopping = new AbortController();
  const { pause, reset } = backoff(stopping.signal);
  const done = keepRunning();
  return {
    done,
    async stop() {
      stopping.abort();
      await done.catch(() => {});
    },
  };

  /** One session after the other, for ever. */
  async function keepRunning(): Promise<void> {
    const databaseUrl = config.database.indexerUrl;
    if (!databaseUrl) throw new LaunchError("DATABASE_URL is not set and no local stack is running.");
    const build = indexBuild(config);
    while (!stopping.signal.aborted) {
      try {
        await withSession({ databaseUrl, config, build, log, stopping: stopping.signal }, keepIndexing);
      } catch (error) {
        if (error instanceof LaunchError) throw error;
        log.error({ err: error }, "the indexer lost its session and starts again");
        await pause();
      }
    }
  }

  /** One run of Ponder after the other, as long as the session lasts. */
  async function keepIndexing(session: Session): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const why = await runOnce(session);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_MS) reset();
      log.warn(`indexing starts again: ${why}`);
      await pause();
    }
  }

  /** @returns why the run ended */
  async function runOnce(session: Session): Promise<string> {
    const [first, ...others] = await usableUrls();
    if (first === undefined) return "no JSON-RPC node answers";
    const node = connectNode([first, ...others]);
    const schema = await prepareSchema(session, node);
    if (schema === null) return "the node is behind the index";
    if (stopping.signal.aborted) return "asked to stop";
    const childEnv = { ...env, RPC_URL: first, RPC_URLS: others.join(",") };
    return runIndex(session, { node, schema, env: childEnv, onReport });
  }

  /**
   * URLs whose node answers and is of the configured chain.
   * @throws LaunchError when a node is of another chain: one wrong answer would poison the index
   */
  async function usableUrls(): Promise<string[]> {
    if (config.chain.rpcUrls.length === 0) throw new LaunchError("RPC_URL is not set and no local stack is running.");
    const answers = await chainIds(config.chain.rpcUrls);
    for (const { url, chainId, error } of answers) {
      const { host } = new URL(url);
      if (error !== undefined) log.warn(`the node at ${host} is left out, it does not answer: ${error}`);
      else if (chainId !== config.chain.id)
        throw new LaunchError(`The node at ${host} is of chain ${chainId}, but CHAIN_ID is ${config.chain.id}.`);
    }
    return answers.filter(({ error }) => error === undefined).map(({ url }) => url);
  }
}
