/**
 * Fetches a part of the history into Ponder's cache without an index: Ponder indexes that part into a schema of its own,
 * which is dropped afterwards, and the schema `ponder_sync` keeps logs, blocks and contract reads. Ponder records the blocks
 * that it has of each filter, of any range, so a later index requests nothing again.
 */
import { backoff, sleep } from "./backoff.ts";
import { checkBlockHashes, deleteReplaced, lastFinalBlock, recordSeenHashes } from "./block-hashes.ts";
import type { Node } from "./node.ts";
import { type PonderProcess, withPonder } from "./ponder-process.ts";
import { type Progress, readProgress } from "./ponder-tables.ts";
import type { FetchOnly } from "./preload/fetch-only.ts";
import type { Report } from "./run.ts";
import { indexSchema, LaunchError } from "./schema-name.ts";
import type { Session } from "./session.ts";
import { dropSchema, readServed } from "./views.ts";

/** Milliseconds between two reads of progress. */
const CHECK_MS = 500;

/** Name of the schema that a fetch of a build uses; the launcher's clean-up knows it (OWN_SCHEMAS in views.ts). */
const fetchSchema = (build: string) => `${build.replace(/^index_/, "fetch_")}_0`;

/**
 * Fetches a part and drops what was indexed of it. Starts Ponder again after a failure, until `stop`.
 * @param options.part blocks that are final
 * @returns true when everything is in the cache, false after `stop`
 * @throws LaunchError when what the database has does not belong to the node's chain
 */
export async function fetchPart(
  session: Session,
  options: {
    node: Node;
    part: FetchOnly;
    env: Record<string, string | undefined>;
    onReport: (report: Report) => void;
    onFailure: (reason: string) => Promise<void>;
  },
): Promise<boolean> {
  const { db, build, log, stopping } = session;
  const schema = fetchSchema(build);
  const { pause } = backoff(stopping);
  try {
    while (!stopping.aborted) {
      await dropSchema(db, schema);
      const finalizedBlock = await checkHistory(session, options.node);
      const why = await fetchOnce(session, { ...options, schema, finalizedBlock });
      if (why === null) return true;
      if (stopping.aborted) return false;
      await options.onFailure(why);
      log.warn(`fetching starts again: ${why}`);
      await pause();
    }
    return false;
  } finally {
    await dropSchema(db, schema).catch(() => {});
  }
}

/**
 * Checks that index and cache belong to the node's chain, and deletes what the cache has of blocks that were replaced
 * before they were final, as every start of the indexer does.
 * @returns the last final block of the index
 */
async function checkHistory({ db, config, build }: Session, node: Node): Promise<number> {
  const chainId = config.chain.id;
  const schema = indexSchema(build, (await readServed(db)).generation);
  const progress = await readProgress(db, schema);
  const verdict = await checkBlockHashes(db, node, chainId, progress && { schema, progress }, { genesis: true });
  if (verdict.kind !== "canonical")
    throw new LaunchError(
      verdict.kind === "behind"
        ? `The node has not reached block ${verdict.block}, which the index has as final.`
        : `The chain has replaced block ${verdict.block}, which the index has as final: start the indexer first, it rebuilds the index.`,
    );
  const final = await lastFinalBlock(db, chainId, progress);
  await deleteReplaced(db, node, chainId, final);
  return final;
}

/** One run of Ponder. @returns null when it has everything, else why it ended */
async function fetchOnce(
  session: Session,
  options: Parameters<typeof fetchPart>[1] & { schema: string; finalizedBlock: number },
): Promise<string | null> {
  const { db, config, stopping } = session;
  const { schema, part, env, onReport, finalizedBlock } = options;
  const listen = { host: "127.0.0.1", port: undefined };
  return withPonder(session, { schema, env, listen, fetchOnly: part }, async (ponder) => {
    let ended: string | undefined;
    void ponder.ended.then((how) => {
      ended = how;
    });
    while (!stopping.aborted) {
      if (ended !== undefined) return `Ponder ended (${ended})`;
      const progress = await readProgress(db, schema);
      await recordSeenHashes(db, config.chain.id, ponder.takeSeenHashes(), finalizedBlock);
      onReport(reportOf(schema, progress, part, ponder));
      if (progress?.ready) return null;
      await Promise.race([ponder.ended, sleep(CHECK_MS, stopping)]);
    }
    return "asked to stop";
  });
}

function reportOf(schema: string, progress: Progress | null, part: FetchOnly, ponder: PonderProcess): Report {
  const { metricsUrl, nodes, pid: run = 0, failures } = ponder;
  const published = progress?.ready ?? false;
  return { schema, progress, head: part.to ?? null, published, metricsUrl, run, lastFailure: failures.last, nodes };
}
