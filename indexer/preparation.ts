/** Steps before Ponder starts: choose the schema, check its history against the chain, keep the rows that readers have. */
import { array, bool, text } from "../db/sql/columns.ts";
import { statement } from "../db/sql/statement.ts";
import type { Queryable } from "../db/sql/transaction.ts";
import { sleep } from "./backoff.ts";
import {
  checkBlockHashes,
  deleteReplaced,
  findFork,
  hashFrom,
  lastFinalBlock,
  recordHash,
  startNextGeneration,
} from "./block-hashes.ts";
import type { Node } from "./node.ts";
import { deleteCachedReads, type Progress, readProgress, unlockSchema } from "./ponder-tables.ts";
import { indexSchema } from "./schema-name.ts";
import type { Session } from "./session.ts";
import { declareStale, pruneSchemas, readServed, retainIndex, type ServedState } from "./views.ts";

/** Milliseconds between the two checks that must both find a block replaced. */
const SECOND_CHECK_MS = 1_000;

/** Milliseconds between two attempts to end the database sessions of an old Ponder process. */
const END_SESSIONS_MS = 50;

/**
 * Prepares the schema of the current generation for a start of Ponder.
 * @returns its name, or null while the node is behind and the chain cannot be compared
 */
export async function prepareSchema(session: Session, node: Node): Promise<string | null> {
  const { db, config, build, log } = session;
  const chainId = config.chain.id;
  for (;;) {
    const served = await readServed(db);
    const schema = indexSchema(build, served.generation);
    await endOldSessions(db, schema);
    const progress = await readProgress(db, schema);
    const final = await lastFinalBlock(db, chainId, progress);
    const verdict = await checkHistory(session, node, served, schema, progress, final);
    if (verdict === "behind") return null;
    if (verdict === "canonical") {
      const from = await deleteReplaced(db, node, chainId, final);
      if (from !== null) log.info(`the cache from block ${from} on is deleted: the chain has other blocks there`);
      // Contract reads of blocks that were not final can be of blocks that were replaced since.
      await deleteCachedReads(db, chainId, final + 1);
      const genesis = await node.blockAt(0);
      if (genesis !== null) await recordHash(db, chainId, genesis);
      if (served.serves === schema) await retainIndex(db, schema);
      await unlockSchema(db, schema);
      await pruneSchemas(db, schema, await readServed(db));
      return schema;
    }
    log.error(verdict.reason);
    await declareStale(db, verdict.reason);
    await startNextGeneration(db, chainId, verdict.forkBlock);
  }
}

/** Checks whether the indexed and cached blocks are still part of the chain, before Ponder builds on them. */
async function checkHistory(
  { db, config, stopping }: Session,
  node: Node,
  served: ServedState,
  schema: string,
  progress: Progress | null,
  final: number,
): Promise<{ forkBlock: number; reason: string } | "behind" | "canonical"> {
  const chainId = config.chain.id;
  const replaced = async (reason: string) => ({ forkBlock: await findFork(db, node, chainId, final + 1), reason });
  // A stale index of the current generation: the launcher ended before the step to the next generation.
  if (served.stale && served.schema === schema) return replaced(served.reason ?? "the index is stale");
  if (progress !== null && (await hashFrom(db, chainId, final)) === null)
    return replaced(`nobody saw which block ${final} the index was built on`);
  const check = () => checkBlockHashes(db, node, chainId, progress && { schema, progress }, { genesis: true });
  const first = await check();
  if (first.kind === "canonical") return "canonical";
  await sleep(SECOND_CHECK_MS, stopping);
  const second = await check();
  if (second.kind === "replaced" && first.kind === "replaced")
    return { forkBlock: second.forkBlock, reason: `reorg deeper than finality: block ${second.block} was replaced` };
  return second.kind === "canonical" ? "canonical" : "behind";
}

const END_SESSIONS = statement({
  name: "end-old-index-sessions",
  params: { applications: array(text) },
  text: `
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and application_name = any($applications)`,
  columns: { ended: bool },
});

/**
 * Ends the database sessions of a Ponder process that still runs after its launcher has ended. The process exits when it
 * notices the loss of its IPC channel; without sessions it cannot write another row before that.
 */
async function endOldSessions(db: Queryable, schema: string): Promise<void> {
  const applications = ["internal", "user", "readonly"].map((pool) => `${schema}_${pool}`);
  while ((await END_SESSIONS.run(db, { applications })) > 0) await sleep(END_SESSIONS_MS);
}
