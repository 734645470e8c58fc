/** The stored scores: recomputed in sets, each change with a point of history; missed changes are found and repaired. */
import type pg from "pg";
import { ageSql } from "../core/signals/age.ts";
import { unixSeconds } from "../core/times.ts";
import { stands } from "./attestations.ts";
import { MOVED, MOVED_COUNT, recomputeSql, someTokens, tokenRange } from "./cred-statement.ts";
import { ADVISORY_LOCKS } from "./locks.ts";
import { array, int2, int4, int8, nullable, pgType, statement, text, timestamptz } from "./statement.ts";
import { type Queryable, transaction } from "./transaction.ts";

export type CredChange = { tokenId: number; score: number /** null = the first score. */; previous: number | null };
/** `now`: the time that the score is computed for. `cause`: the reason of a change, for the history. */
export type RecomputeOptions = { now: Date; cause: string };

/** Not prepared: sets differ in size by orders of magnitude, so each needs a plan of its own. */
const RECOMPUTE = statement({
  name: "cred-recompute",
  params: { seconds: int8, now: timestamptz, cause: text, tokenIds: array(int8) },
  text: `${recomputeSql(someTokens)} ${MOVED}`,
  columns: { tokenId: int8, score: int4, previous: nullable(int2) },
});
const RECOMPUTE_RANGE = statement({
  name: "cred-recompute-range",
  params: { seconds: int8, now: timestamptz, cause: text, from: int8, to: int8 },
  text: `${recomputeSql(tokenRange)} ${MOVED_COUNT}`,
  columns: { moved: int4 },
});

const UNDO_HISTORY = statement({
  name: "cred-undo-history",
  params: { tokenIds: array(int8), blocks: array(int8) },
  text: `
    delete from offchain.cred_history h using unnest($tokenIds::int8[], $blocks::int8[]) as r(token_id, block)
    where h.token_id = r.token_id and h.block >= r.block`,
});
const RESTORE_POINTS = statement({
  name: "cred-restore-points",
  params: { tokenIds: array(int8), cause: text, now: timestamptz },
  text: `
    insert into offchain.cred_history (token_id, score, cause, block, at)
    select c.token_id, c.score, $cause, c.seen_block, $now
    from offchain.cred c left join lateral (
      select h.score from offchain.cred_history h where h.token_id = c.token_id order by h.id desc limit 1) l on true
    where c.token_id = any($tokenIds::int8[]) and l.score is distinct from c.score
    order by c.token_id`,
});
const LAST_TOKEN = statement({
  name: "cred-last-token",
  text: `
    select greatest((select max(token_id) from onchain.agent), (select max(token_id) from offchain.cred), -1)::int8 as last`,
  columns: { last: int8 },
});
/** Agents whose raw value of the attestation differs from its validity now. */
const ATTESTED_CHANGED = statement({
  name: "cred-attested-changed",
  params: { seconds: int8 },
  text: `
    select c.token_id from offchain.exchange_verification e
      join onchain.agent a on a.token_id = e.token_id and a.owner = e.recipient
      join offchain.cred c on c.token_id = e.token_id
    where (c.coinbase > 0) <> ${stands("e", "$seconds::int8")}`,
  columns: { token_id: int8 },
});
/** Agents whose raw value of the age differs from their age now. */
const AGED = statement({
  name: "cred-aged",
  params: { seconds: int8 },
  text: `
    select c.token_id from offchain.cred c join onchain.agent a on a.token_id = c.token_id
    where c.age < 100 and c.age <> ${ageSql("a.minted_at", "$seconds::int8")}`,
  columns: { token_id: int8 },
});
/** Agents without a score of their newest block, and scores without an agent. */
const UNRECONCILED = statement({
  name: "cred-unreconciled",
  text: `
    select a.token_id from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
    where c.token_id is null or c.seen_block <> a.updated_block
    union all
    select c.token_id from offchain.cred c
    where not exists (select from onchain.agent a where a.token_id = c.token_id)`,
  columns: { token_id: int8 },
});
const TAKE_LOCKS = statement({
  name: "cred-locks",
  params: { lockClass: int4, locks: array(int4) },
  text: "select pg_advisory_xact_lock($lockClass::int4, lock) from unnest($locks::int4[]) as lock",
  columns: { pg_advisory_xact_lock: pgType<string>("void") },
});

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
  await UNDO_HISTORY.run(db, {
    tokenIds: retractions.map((r) => r.tokenId),
    blocks: retractions.map((r) => r.block),
  });
  const changed = await recomputeSet(db, ids, { now, cause: RETRACTED });
  // A score that stays although its point was deleted (another event gives the same score) needs a new point.
  await RESTORE_POINTS.run(db, { tokenIds: ids, cause: RETRACTED, now });
  return { changed };
}

const RETRACTED = "reorganisation";

/**
 * Recomputes every agent, in ranges of token ids.
 * @returns number of changed scores
 */
export async function fullPass(pool: pg.Pool, { now, cause }: RecomputeOptions): Promise<number> {
  const { last } = await LAST_TOKEN.one(pool);
  let moved = 0;
  for (let from = 0; from <= last; from += RANGE_SIZE) {
    moved += await transaction(pool, async (tx) => {
      await lockAll(tx);
      const range = { from, to: from + RANGE_SIZE - 1 };
      return (await RECOMPUTE_RANGE.one(tx, { seconds: unixSeconds(now), now, cause, ...range })).moved;
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
  const changed = await ATTESTED_CHANGED.rows(pool, { seconds: unixSeconds(now) });
  return recomputeAny(pool, changed, { now, cause: "expiry" });
}

/**
 * Recomputes the scores that only the clock changes: ages that reached another day, attestations that expired.
 * @returns number of changed scores
 */
export async function refreshAges(pool: pg.Pool, now: Date): Promise<number> {
  const aged = await AGED.rows(pool, { seconds: unixSeconds(now) });
  return (await refreshAttested(pool, now)) + (await recomputeAny(pool, aged, { now, cause: "age" }));
}

/**
 * Recomputes every agent that has no score, whose score was not computed from its newest block, or that no longer exists:
 * finds changes whose event was lost.
 * @returns number of changed scores
 */
export async function reconcileCred(pool: pg.Pool, now: Date): Promise<number> {
  return recomputeAny(pool, await UNRECONCILED.rows(pool), { now, cause: "reconcile" });
}

async function recomputeAny(
  pool: pg.Pool,
  agents: readonly { token_id: number }[],
  options: RecomputeOptions,
): Promise<number> {
  if (agents.length > FULL_PASS_ABOVE) return fullPass(pool, options);
  const tokenIds = agents.map(({ token_id }) => token_id);
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
  return RECOMPUTE.rows(tx, { seconds: unixSeconds(now), now, cause, tokenIds });
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
  await TAKE_LOCKS.run(tx, { lockClass: LOCK_CLASS, locks: locks.sort((a, b) => a - b) });
}

const isPool = (db: Queryable): db is pg.Pool => "totalCount" in db;
