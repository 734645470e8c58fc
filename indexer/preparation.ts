/** Before Ponder starts: which schema it gets, that this schema's history is the chain's, and that readers notice nothing. */
import type pg from "pg";
import { sleep } from "./backoff.ts";
import {
  finalBlock,
  findFork,
  forgetReads,
  forgetReplaced,
  lookAtWitnesses,
  type Progress,
  readProgress,
  remember,
  startNextGeneration,
  witnessOf,
} from "./block-hashes.ts";
import type { Node } from "./node.ts";
import { indexSchema } from "./schema-name.ts";
import type { Session } from "./session.ts";
import { declareStale, holdIndex, pruneSchemas, readServed, type ServedState, transaction } from "./views.ts";

/** Between the two looks that a replaced block has to be seen on. */
const SECOND_LOOK_MS = 1_000;

/**
 * Makes the schema of the current generation fit to start Ponder on.
 * @returns its name, or null when nothing can be said about the chain yet
 */
export async function prepareSchema(session: Session, node: Node): Promise<string | null> {
  const { db, config, build, log } = session;
  const chainId = config.chain.id;
  for (;;) {
    const served = await readServed(db);
    const schema = indexSchema(build, served.generation);
    await endLeftovers(db, schema);
    const progress = await readProgress(db, schema);
    const final = await finalBlock(db, chainId, progress);
    const verdict = await firstLook(session, node, served, schema, progress, final);
    if (verdict === "behind") return null;
    if (verdict === "canonical") {
      const split = await forgetReplaced(db, node, chainId, final);
      if (split !== null)
        log.info(`what was fetched from block ${split} on is forgotten: the chain has other blocks there`);
      // Contract reads of blocks that were not final when they were made may be of blocks that are gone by now.
      await forgetReads(db, chainId, final + 1);
      const genesis = await node.blockAt(0);
      if (genesis !== null) await remember(db, chainId, genesis);
      if (served.serves === schema) await holdIndex(db, schema);
      await unlock(db, schema);
      await pruneSchemas(db, [schema]);
      return schema;
    }
    log.error(verdict.reason);
    await declareStale(db, verdict.reason);
    await startNextGeneration(db, chainId, verdict.forkBlock);
  }
}

/** Whether what is indexed and cached is still the chain's, before anything is built on it. */
async function firstLook(
  { db, config, stopping }: Session,
  node: Node,
  served: ServedState,
  schema: string,
  progress: Progress | null,
  final: number,
): Promise<{ forkBlock: number; reason: string } | "behind" | "canonical"> {
  const chainId = config.chain.id;
  const anew = async (reason: string) => ({ forkBlock: await findFork(db, node, chainId, final + 1), reason });
  // A stale index of the current generation: the step to the next one was interrupted.
  if (served.stale && served.schema === schema) return anew(served.reason ?? "the index is stale");
  if (progress !== null && (await witnessOf(db, chainId, final)) === undefined)
    return anew(`nobody saw which block ${final} the index was built on`);
  const look = () => lookAtWitnesses(db, node, chainId, progress === null ? null : schema, { genesis: true });
  const first = await look();
  if (first.kind === "canonical") return "canonical";
  await sleep(SECOND_LOOK_MS, stopping);
  const second = await look();
  if (second.kind === "replaced" && first.kind === "replaced")
    return { forkBlock: second.forkBlock, reason: `reorg deeper than finality: block ${second.block} was replaced` };
  return second.kind === "canonical" ? "canonical" : "behind";
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
  const { rows } = await db.query("select to_regclass($1) is not null as made", [`"${schema}"._ponder_meta`]);
  if (!rows[0].made) return;
  await transaction(db, async () => {
    await db.query(`
      update "${schema}"._ponder_meta
      set value = value || '{"is_locked": 0, "is_ready": 0}' where key = 'app'`);
    await db.query(`drop trigger if exists onchain_announce on "${schema}"._ponder_checkpoint`);
    await db.query(`update "${schema}"._ponder_checkpoint set latest_checkpoint = safe_checkpoint`);
  });
}
