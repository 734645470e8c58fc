/** The stored scores: recomputed in sets, each change with a point of history; missed changes are found and repaired. */
import type pg from "pg";
import { ageSql } from "../core/signals/age.ts";
import { unixSeconds } from "../core/times.ts";
import { stands } from "./attestations.ts";
import { MOVED, MOVED_COUNT, recomputeSql, someTokens, tokenRange } from "./cred-statement.ts";
import { ADVISORY_LOCKS } from "./locks.ts";
import { type Queryable, transaction } from "./transaction.ts";

export type CredChange = { tokenId: number; score: number /** null = the first score. */; previous: number | null };
/** `now`: the time that the score is computed for. `cause`: the reason of a change, for the history. */
export type RecomputeOptions = { now: Date; cause: string };

const RECOMPUTE = `${recomputeSql(someTokens)} ${MOVED}`;
const RECOMPUTE_RANGE = `${recomputeSql(tokenRange)} ${MOVED_COUNT}`;

/** Max agents per transaction; keeps its locks for a fraction of a second. */
const SET_SIZE = 2_000;
/** Token ids per transaction of a full pass. */
const RANGE_SIZE = 50_000;
/** Max agents that are recomputed in sets; for more, one pass over all agents is cheaper. */
const FULL_PASS_ABOVE = 50_000;

/**
 * Recomputes the scores of some agents and writes what changed.
 *
 * On a pool it commits by itself. On the client of a transaction it is part of that transaction, which must be READ
 * COMMITTED, and sees its writes: a write that changes off-chain facts calls this last, once, with all its agents.
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
  for (let from = 0; from < ids.length; from += SET_SIZE) {
    const set = ids.slice(from, from + SET_SIZE);
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
  await db.query(
    `delete from offchain.cred_history h using unnest($1::int8[], $2::int8[]) as r(token_id, block)
     where h.token_id = r.token_id and h.block >= r.block`,
    [retractions.map((r) => r.tokenId), retractions.map((r) => r.block)],
  );
  const changed = await recomputeSet(db, ids, { now, cause: RETRACTED });
  // A score that stays although its point was deleted (another event gives the same score) needs a new point.
  await db.query(
    `insert into offchain.cred_history (token_id, score, cause, block, at)
     select c.token_id, c.score, $2, c.seen_block, $3
     from offchain.cred c left join lateral (
       select h.score from offchain.cred_history h where h.token_id = c.token_id order by h.id desc limit 1) l on true
     where c.token_id = any($1::int8[]) and l.score is distinct from c.score
     order by c.token_id`,
    [ids, RETRACTED, now],
  );
  return { changed };
}

const RETRACTED = "reorganisation";

/**
 * Recomputes every agent, in ranges of token ids.
 * @returns number of changed scores
 */
export async function fullPass(pool: pg.Pool, { now, cause }: RecomputeOptions): Promise<number> {
  const { rows } = await pool.query(
    "select greatest((select max(token_id) from onchain.agent), (select max(token_id) from offchain.cred), -1)::int8 as last",
  );
  const last = Number(rows[0].last);
  let moved = 0;
  for (let from = 0; from <= last; from += RANGE_SIZE) {
    moved += await transaction(pool, async (tx) => {
      await lockAll(tx);
      const values = [unixSeconds(now), now, cause, from, from + RANGE_SIZE - 1];
      return Number((await tx.query(RECOMPUTE_RANGE, values)).rows[0].moved);
    });
  }
  return moved;
}

/**
 * Recomputes the verified agents whose score does not match their owner's attestations now: no event reports an expiry,
 * nor an attestation that was removed before it was indexed.
 * @returns number of changed scores
 */
export async function refreshAttested(pool: pg.Pool, now: Date): Promise<number> {
  const moved = await tokenIdsOf(
    pool,
    `select c.token_id from offchain.exchange_verification e
       join onchain.agent a on a.token_id = e.token_id and a.owner = e.recipient
       join offchain.cred c on c.token_id = e.token_id
     where (c.coinbase > 0) <> ${stands("e", "$1::int8")}`,
    [unixSeconds(now)],
  );
  return recomputeAny(pool, moved, { now, cause: "expiry" });
}

/**
 * Recomputes the scores that only the clock changes: ages that reached another day, attestations that expired.
 * @returns number of changed scores
 */
export async function refreshAges(pool: pg.Pool, now: Date): Promise<number> {
  const seconds = unixSeconds(now);
  const older = await tokenIdsOf(
    pool,
    `select c.token_id from offchain.cred c join onchain.agent a on a.token_id = c.token_id
     where c.age < 100 and c.age <> ${ageSql("a.minted_at", "$1::int8")}`,
    [seconds],
  );
  return (await refreshAttested(pool, now)) + (await recomputeAny(pool, older, { now, cause: "age" }));
}

/**
 * Recomputes every agent that has no score, whose score was not computed from its newest block, or that no longer exists:
 * finds changes whose event was lost.
 * @returns number of changed scores
 */
export async function reconcileCred(pool: pg.Pool, now: Date): Promise<number> {
  const stale = await tokenIdsOf(
    pool,
    `select a.token_id from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
     where c.token_id is null or c.seen_block <> a.updated_block
     union all
     select c.token_id from offchain.cred c
     where not exists (select from onchain.agent a where a.token_id = c.token_id)`,
  );
  return recomputeAny(pool, stale, { now, cause: "reconcile" });
}

async function recomputeAny(pool: pg.Pool, tokenIds: number[], options: RecomputeOptions): Promise<number> {
  if (tokenIds.length > FULL_PASS_ABOVE) return fullPass(pool, options);
  return (await recomputeCred(pool, { tokenIds }, options)).changed.length;
}

/** @param tokenIds ascending, each once */
async function recomputeSet(
  tx: Queryable,
  tokenIds: number[],
  { now, cause }: RecomputeOptions,
): Promise<CredChange[]> {
  if (tokenIds.length === 0) return [];
  await lockAgents(tx, tokenIds);
  // Not a prepared statement: sets differ in size by orders of magnitude, so each needs a plan of its own.
  const { rows } = await tx.query<{ token_id: string; score: number; previous: number | null }>(RECOMPUTE, [
    unixSeconds(now),
    now,
    cause,
    tokenIds,
  ]);
  return rows.map(({ token_id, score, previous }) => ({ tokenId: Number(token_id), score, previous }));
}

/*
 * Of two concurrent recomputes of an agent, the one that read first could write last and leave a score that is older
 * than the facts. So each takes a lock first and reads in a later statement, which sees what the previous owner of the
 * lock committed. Agents share a fixed number of locks, taken in ascending order, so that a pass over a million agents
 * fits into the lock table and no two recomputes deadlock.
 */
const LOCK_CLASS = ADVISORY_LOCKS.cred;
const LOCKS = 128;

const lockAgents = (tx: Queryable, tokenIds: readonly number[]) =>
  takeLocks(tx, [...new Set(tokenIds.map((tokenId) => tokenId % LOCKS))]);
const lockAll = (tx: Queryable) => takeLocks(tx, [...Array(LOCKS).keys()]);

async function takeLocks(tx: Queryable, locks: number[]): Promise<void> {
  await tx.query("select pg_advisory_xact_lock($1::int4, lock) from unnest($2::int4[]) as lock", [
    LOCK_CLASS,
    locks.sort((a, b) => a - b),
  ]);
}

async function tokenIdsOf(db: Queryable, text: string, values: unknown[] = []): Promise<number[]> {
  const { rows } = await db.query<{ token_id: string }>(text, values);
  return rows.map((row) => Number(row.token_id));
}

const isPool = (db: Queryable): db is pg.Pool => "totalCount" in db;
