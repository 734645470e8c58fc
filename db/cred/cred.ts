/** The stored scores: recomputed in sets, each change with a point of history. Passes over all agents are in db/cred/cred-passes.ts. */
import type pg from "pg";
import { unixSeconds } from "../../core/times.ts";
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { MOVED_AND_REMOVED, RETRACTED, recomputeSql, someTokens } from "./cred-statement.ts";

export type CredChange = { tokenId: number; score: number /** null = the first score. */; previous: number | null };
/** `now`: the time that the score is computed for. `cause`: the reason of a change, for the history. */
export type RecomputeOptions = { now: Date; cause: string };

/** Not prepared: sets differ in size by orders of magnitude, so each needs a plan of its own. */
const RECOMPUTE = statement({
  name: "cred-recompute",
  params: { seconds: t.int8, now: t.timestamptz, cause: t.text, tokenIds: t.array(t.int8) },
  text: `${recomputeSql(someTokens)} ${MOVED_AND_REMOVED}`,
  columns: { tokenId: t.int8, score: t.nullable(t.int4), previous: t.nullable(t.int2) },
});

/** Deletes the history of agents that do not exist. A statement of its own: it concerns every month of the history. */
export const forgetHistories = statement({
  name: "cred-forget-history",
  params: { tokenIds: t.array(t.int8) },
  unlessEmpty: "tokenIds",
  text: "delete from offchain.cred_history where token_id = any($tokenIds::int8[])",
}).run;
const UNDO_HISTORY = statement({
  name: "cred-undo-history",
  params: { retractions: t.records({ tokenId: t.int8, block: t.int8 }) },
  text: `
    delete from offchain.cred_history h using $retractions
    where h.token_id = retractions.token_id and h.block >= retractions.block`,
});
const RESTORE_POINTS = statement({
  name: "cred-restore-points",
  params: { tokenIds: t.array(t.int8), cause: t.text, now: t.timestamptz },
  text: `
    insert into offchain.cred_history (token_id, score, cause, block, at)
    select c.token_id, c.score, $cause, c.seen_block, $now
    from offchain.cred c left join lateral (
      select h.score from offchain.cred_history h where h.token_id = c.token_id order by h.id desc limit 1) l on true
    where c.token_id = any($tokenIds::int8[]) and l.score is distinct from c.score
    order by c.token_id`,
});
const TAKE_LOCKS = statement({
  name: "cred-locks",
  params: { lockClass: t.int4, locks: t.array(t.int4) },
  text: "select pg_advisory_xact_lock($lockClass::int4, lock) from unnest($locks::int4[]) as lock",
  columns: { pg_advisory_xact_lock: t.pgType<string>("void") },
});

/** Max agents per transaction; keeps its locks for a fraction of a second. */
const AGENTS_PER_SET = 2_000;

/**
 * Recomputes the scores of some agents and writes what changed.
 *
 * On a pool it commits by itself. On the client of a transaction it is part of that transaction, which must be READ
 * COMMITTED, and sees its writes: a write that changes off-chain facts calls this last, once, with all its agents.
 * Check then write: facts and the list of stale agents, then score and history (cred-passes.ts as well); other writes
 * may come: 128 advisory locks in order; facts and kept inputs are read in the writing statement, after the lock; the
 * walk of `checkCred` is a row, locked first.
 * @returns the agents whose score changed, by token id
 * @throws the driver's error; before the first index one that `isNoIndex` recognises
 */
export async function recomputeCred(
  db: Queryable,
  { tokenIds }: { tokenIds: readonly number[] },
  options: RecomputeOptions,
): Promise<{ changed: CredChange[] }> {
  const ids = [...new Set(tokenIds)].sort((a, b) => a - b);
  if (!isPool(db)) return { changed: await recomputeSet(db, ids, options) };
  const changed: CredChange[] = [];
  for (let from = 0; from < ids.length; from += AGENTS_PER_SET) {
    const set = ids.slice(from, from + AGENTS_PER_SET);
    changed.push(...(await transaction(db, (tx) => recomputeSet(tx, set, options))));
  }
  return { changed };
}

/**
 * Undoes what a reorganisation removed: the history of each token from the given block on, then the score itself.
 * @param retractions per token the first block that is no longer on the chain
 */
export async function retractCred(
  db: Queryable,
  retractions: readonly { tokenId: number; block: number }[],
  now: Date,
): Promise<{ changed: CredChange[] }> {
  if (isPool(db)) return transaction(db, (tx) => retractCred(tx, retractions, now));
  const ids = [...new Set(retractions.map(({ tokenId }) => tokenId))].sort((a, b) => a - b);
  if (ids.length === 0) return { changed: [] };
  await lockAgents(db, ids);
  await UNDO_HISTORY.run(db, { retractions });
  const changed = await recomputeSet(db, ids, { now, cause: RETRACTED });
  // A score that stays although its point was deleted (another event gives the same score) needs a new point.
  await RESTORE_POINTS.run(db, { tokenIds: ids, cause: RETRACTED, now });
  return { changed };
}

/** Recomputes agents in the transaction of the caller. @param tokenIds ascending, each once */
export async function recomputeSet(
  tx: Queryable,
  tokenIds: number[],
  { now, cause }: RecomputeOptions,
): Promise<CredChange[]> {
  if (tokenIds.length === 0) return [];
  await lockAgents(tx, tokenIds);
  const rows = await RECOMPUTE.rows(tx, { seconds: unixSeconds(now), now, cause, tokenIds });
  const changed = rows.flatMap(({ score, ...of }) => (score === null ? [] : [{ ...of, score }]));
  await forgetHistories(tx, { tokenIds: rows.flatMap(({ tokenId, score }) => (score === null ? [tokenId] : [])) });
  return changed;
}

/*
 * Of two concurrent recomputes of an agent, the one that read first could write last and leave a score that is older
 * than the facts. So each takes a lock first and reads in a later statement, which sees what the previous owner of the
 * lock committed. Agents share a fixed number of locks, taken in ascending order, so that a pass over a million agents
 * fits into the lock table and no two recomputes deadlock.
 */
const LOCK_CLASS = ADVISORY_LOCKS.cred;
const LOCK_COUNT = 128;

const lockAgents = (tx: Queryable, tokenIds: readonly number[]) =>
  takeLocks(tx, [...new Set(tokenIds.map((tokenId) => tokenId % LOCK_COUNT))]);
/** Waits for every recompute that runs, and holds up the next ones until the transaction ends. */
export const lockAll = (tx: Queryable) => takeLocks(tx, [...Array(LOCK_COUNT).keys()]);

async function takeLocks(tx: Queryable, locks: number[]): Promise<void> {
  await TAKE_LOCKS.run(tx, { lockClass: LOCK_CLASS, locks: locks.sort((a, b) => a - b) });
}

const isPool = (db: Queryable): db is pg.Pool => "totalCount" in db;
