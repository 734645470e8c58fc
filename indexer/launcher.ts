/** The launcher: runs Ponder on the right schema, keeps the views true through every restart, and starts over when the chain did. */
import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { chainIds, connectNode, type Node } from "./node.ts";
import { type PonderProcess, startPonder } from "./ponder-process.ts";
import { indexBuild, indexSchema } from "./schema-name.ts";
import {
  BUILD_LOCK,
  ensureOnchain,
  holdIndex,
  pruneSchemas,
  publishIndex,
  readServed,
  recordState,
  type ServedState,
  transaction,
} from "./views.ts";
import { type Alarm, watch } from "./watchdog.ts";
import {
  findFork,
  forgetReads,
  lookAtWitnesses,
  newestWitness,
  type Progress,
  readProgress,
  remember,
  startNextGeneration,
} from "./witnesses.ts";

/** How often the watchdog looks; two looks and the restart stay well below the 30 s in which staleness must show. */
const LOOK_MS = 5_000;
/** While an index is being built or caught up, and after a suspicious look, the next look comes sooner. */
const CLOSE_LOOK_MS = 1_000;
/** How often progress is read while the views wait for an index. */
const CATCH_UP_MS = 100;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A run this long was a good one: the next failure starts the backoff anew. */
const STABLE_MS = 60_000;

/** The configuration cannot work; the message says why in one sentence. */
export class LaunchError extends Error {}

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
  const { config, log } = options;
  const stopping = new AbortController();
  const build = indexBuild(config);
  const done = keepRunning();
  return {
    done,
    async stop() {
      stopping.abort();
      await done.catch(() => {});
    },
  };

  /** One session after the other: a session is a connection that holds the build's lock. */
  async function keepRunning(): Promise<void> {
    const pause = backoff(stopping.signal);
    while (!stopping.signal.aborted) {
      try {
        await session(pause);
      } catch (error) {
        if (error instanceof LaunchError) throw error;
        log.error({ err: error }, "the indexer lost its session and starts again");
        await pause();
      }
    }
  }

  async function session(pause: Backoff): Promise<void> {
    if (!config.database.indexerUrl) throw new LaunchError("DATABASE_URL is not set and no local stack is running.");
    const db = new pg.Client({
      connectionString: config.database.indexerUrl,
      application_name: `${build}_launcher`,
      keepAlive: true,
    });
    // The lock lives and dies with this connection, and so does the right to write: every step below runs on it, and
    // Ponder is killed as soon as it is gone.
    const lost = new AbortController();
    const lose = () => lost.abort();
    db.on("error", lose);
    db.on("end", lose);
    try {
      await db.connect();
      await takeLock(db);
      if (stopping.signal.aborted) return;
      await ensureOnchain(db);
      while (!stopping.signal.aborted) {
        const startedAt = performance.now();
        const why = await run(db, lost.signal);
        if (stopping.signal.aborted) break;
        if (performance.now() - startedAt > STABLE_MS) pause.reset();
        log.warn(`indexing starts again: ${why}`);
        await pause();
      }
    } finally {
      db.off("end", lose);
      await db.end().catch(() => {});
    }
  }

  /** One launcher per build: a second one waits here until the first is gone. */
  async function takeLock(db: pg.ClientBase): Promise<void> {
    let told = false;
    while (!stopping.signal.aborted) {
      const { rows } = await db.query("select pg_try_advisory_lock($1, hashtext($2)) as mine", [BUILD_LOCK, build]);
      if (rows[0].mine) return;
      if (!told) log.warn(`another indexer of ${build} is running: waiting for it to end`);
      told = true;
      await sleep(500, stopping.signal);
    }
  }

  /** One run of Ponder, from preparing its schema to its end. @returns why it ended */
  async function run(db: pg.ClientBase, lost: AbortSignal): Promise<string> {
    const urls = await usableUrls();
    if (urls.length === 0) return "no JSON-RPC node answers";
    const node = connectNode(urls);
    const schema = await prepare(db, node);
    if (schema === null || stopping.signal.aborted) return "the node is behind the index";
    const [first, ...others] = urls;
    const ponder = await startPonder({
      schema,
      log,
      env: { ...options.env, RPC_URL: first, RPC_URLS: others.join(",") },
    });
    const killed = () => ponder.kill();
    lost.addEventListener("abort", killed);
    if (lost.aborted) killed();
    try {
      const end = await follow(db, node, schema, ponder);
      if (typeof end === "string") return end;
      log.error(end.reason);
      if (end.kind === "replaced") await declareStale(db, end.reason);
      await ponder.stop();
      if (end.kind === "replaced") await startNextGeneration(db, config.chain.id, end.forkBlock);
      return end.reason;
    } finally {
      lost.removeEventListener("abort", killed);
      await ponder.stop();
    }
  }

  /**
   * URLs whose node is of the configured chain.
   * @throws LaunchError when a node is of another chain: one wrong answer would poison the index
   */
  async function usableUrls(): Promise<string[]> {
    if (config.chain.rpcUrls.length === 0) throw new LaunchError("RPC_URL is not set and no local stack is running.");
    const answers = await chainIds(config.chain.rpcUrls);
    for (const { url, chainId, error } of answers) {
      const host = new URL(url).host;
      if (error !== undefined) log.warn(`the node at ${host} is left out, it does not answer: ${error}`);
      else if (chainId !== config.chain.id)
        throw new LaunchError(`The node at ${host} is of chain ${chainId}, but CHAIN_ID is ${config.chain.id}.`);
    }
    return answers.filter(({ error }) => error === undefined).map(({ url }) => url);
  }

  /**
   * Makes the schema of the current generation fit to start Ponder on: nobody else writes to it, its history is the
   * chain's, readers do not see it roll back.
   * @returns null when nothing can be said about the chain yet
   */
  async function prepare(db: pg.ClientBase, node: Node): Promise<string | null> {
    const chainId = config.chain.id;
    for (;;) {
      const served = await readServed(db);
      const schema = indexSchema(build, served.generation);
      await endLeftovers(db, schema);
      const progress = await readProgress(db, schema);
      const alarm = await firstLook(db, node, served, schema, progress);
      if (alarm === "behind") return null;
      if (alarm !== null) {
        log.error(alarm.reason);
        await declareStale(db, alarm.reason);
        await startNextGeneration(db, chainId, alarm.forkBlock);
        continue;
      }
      const genesis = await node.blockAt(0);
      if (genesis !== null) await remember(db, chainId, genesis);
      const final = Math.max(progress?.finalizedBlock ?? -1, (await newestWitness(db, chainId))?.block ?? -1);
      await forgetReads(db, chainId, final + 1);
      if (progress !== null) {
        if (served.serves === schema) await holdIndex(db, schema);
        await unlock(db, schema);
      }
      await pruneSchemas(db, await wanted(db, schema));
      return schema;
    }
  }

  /** Whether what is indexed and cached is still the chain's, before anything is built on it. */
  async function firstLook(
    db: pg.ClientBase,
    node: Node,
    served: ServedState,
    schema: string,
    progress: Progress | null,
  ): Promise<{ forkBlock: number; reason: string } | "behind" | null> {
    const chainId = config.chain.id;
    // A stale index of the current generation: the step to the next one was interrupted.
    if (served.stale && served.schema === schema)
      return { forkBlock: await findFork(db, node, chainId), reason: served.reason ?? "the index is stale" };
    const look = () => lookAtWitnesses(db, node, chainId, progress === null ? null : schema, { genesis: true });
    const first = await look();
    if (first.kind === "canonical") return null;
    await sleep(CLOSE_LOOK_MS, stopping.signal);
    const second = await look();
    if (second.kind === "replaced" && first.kind === "replaced")
      return { forkBlock: second.forkBlock, reason: `reorg deeper than finality: block ${second.block} was replaced` };
    return second.kind === "canonical" ? null : "behind";
  }

  /** Follows a run until it ends, has to end, or is asked to. @returns an alarm, or why it ended by itself */
  async function follow(db: pg.ClientBase, node: Node, schema: string, ponder: PonderProcess): Promise<Alarm | string> {
    const watchdog = watch({ db, node, chainId: config.chain.id, schema, news: ponder.news });
    const before = await readServed(db);
    const servedBlock = before.serves === null ? null : ((await readProgress(db, before.serves))?.block ?? null);
    let published = false;
    let lookAt = 0;
    let trouble: string | null = null;
    let ended: string | undefined;
    void ponder.ended.then((how) => {
      ended = how;
    });
    while (!stopping.signal.aborted) {
      if (ended !== undefined) {
        if (ponder.news.foreignSchema) await recordState(db, { generation: before.generation + 1 });
        return `Ponder ended (${ended})`;
      }
      const progress = await readProgress(db, schema);
      if (performance.now() >= lookAt) {
        const alarm = await watchdog.look(progress);
        if (alarm !== null) return alarm;
        if (watchdog.trouble !== trouble && watchdog.trouble !== null) log.error(`watchdog: ${watchdog.trouble}`);
        trouble = watchdog.trouble;
        const calm = published && !watchdog.suspicious && !ponder.news.beyondFinality;
        lookAt = performance.now() + (calm ? LOOK_MS : CLOSE_LOOK_MS);
        if (published) {
          if ((await readServed(db)).schema !== schema) return await standBy(ponder);
          await pruneSchemas(db, await wanted(db, schema));
        }
      }
      if (!published && progress !== null && caughtUp(progress, watchdog.head, before.stale ? null : servedBlock)) {
        await publishIndex(db, schema);
        published = true;
        log.info(`serving ${schema} at block ${progress.block}`);
      }
      options.onReport?.({ schema, progress, head: watchdog.head, published, metricsUrl: ponder.metricsUrl });
      await Promise.race([ponder.ended, sleep(published ? CLOSE_LOOK_MS : CATCH_UP_MS, stopping.signal)]);
    }
    return "asked to stop";
  }

  /** Whether an index may take over: it knows all that is served now (unless that is stale), or all there is. */
  function caughtUp(progress: Progress, head: number | null, servedBlock: number | null): boolean {
    if (!progress.ready || head === null) return false;
    return progress.block >= Math.min(head, servedBlock ?? head, config.chain.endBlock ?? head);
  }

  /** Another build has taken over the views: this launcher neither indexes nor fights, it waits to be ended. */
  async function standBy(ponder: PonderProcess): Promise<string> {
    log.warn("another build of the indexer has taken over: standing by");
    await ponder.stop();
    while (!stopping.signal.aborted) await sleep(LOOK_MS, stopping.signal);
    return "asked to stop";
  }

  async function declareStale(db: pg.ClientBase, reason: string): Promise<void> {
    if ((await readServed(db)).schema !== null) await recordState(db, { stale: true, reason });
  }

  async function wanted(db: pg.ClientBase, schema: string): Promise<string[]> {
    const { schema: origin, serves } = await readServed(db);
    return [schema, origin, serves].filter((name) => name !== null);
  }
}

/**
 * Ends the database sessions of a Ponder process that outlived its launcher. It exits when it notices the loss of its
 * channel; without sessions it cannot write another row before that.
 */
async function endLeftovers(db: pg.ClientBase, schema: string): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = any($1)`,
      [["internal", "user", "readonly"].map((pool) => `${schema}_${pool}`)],
    );
    if (rowCount === 0) return;
    await sleep(50);
  }
}

/**
 * Tells Ponder that nobody runs on the schema (it would wait 25 s for the heartbeat of a killed process), and puts the
 * checkpoint back to where it will roll the rows back to, so that progress never claims rows that are not there.
 */
async function unlock(db: pg.ClientBase, schema: string): Promise<void> {
  await transaction(db, async () => {
    await db.query(`
      update "${schema}"._ponder_meta
      set value = value || '{"is_locked": 0, "is_ready": 0}' where key = 'app'`);
    await db.query(`drop trigger if exists onchain_announce on "${schema}"._ponder_checkpoint`);
    await db.query(`update "${schema}"._ponder_checkpoint set latest_checkpoint = safe_checkpoint`);
  });
}

type Backoff = { (): Promise<void>; reset(): void };

function backoff(signal: AbortSignal): Backoff {
  let delay = FIRST_DELAY_MS;
  const pause = async () => {
    await sleep(delay, signal);
    delay = Math.min(delay * 2, LONGEST_DELAY_MS);
  };
  return Object.assign(pause, {
    reset() {
      delay = FIRST_DELAY_MS;
    },
  });
}

/** Resolves after `ms`, at once when `signal` is aborted. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}
