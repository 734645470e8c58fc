/** Passes over all stored scores: what time moves is recomputed from the kept inputs, and missed changes are found and repaired. */
import type pg from "pg";
import { unixSeconds } from "../../core/times.ts";
import { countsUntil } from "../agents/attestations.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { forgetHistories, lockAll, type RecomputeOptions, recomputeCred, recomputeSet } from "./cred.ts";
import { isStale, MOVED_AND_MISSED, MOVED_COUNT, recomputeSql, refreshSql, tokenRange } from "./cred-statement.ts";

const RECOMPUTE_RANGE = statement({
  name: "cred-recompute-range",
  params: { seconds: t.int8, now: t.timestamptz, cause: t.text, from: t.int8, to: t.int8 },
  text: `${recomputeSql(tokenRange)} ${MOVED_AND_MISSED}`,
  columns: { moved: t.int4, missed: t.int4, removed: t.array(t.int8) },
});
const REFRESH_RANGE = statement({
  name: "cred-refresh-range",
  params: { seconds: t.int8, now: t.timestamptz, cause: t.text, from: t.int8, to: t.int8 },
  text: `${refreshSql(tokenRange)} ${MOVED_COUNT}`,
  columns: { moved: t.int4 },
});
const LAST_TOKEN = statement({
  name: "cred-last-token",
  text: `
    select greatest((select max(token_id) from onchain.agent), (select max(token_id) from offchain.cred), -1)::int8 as last`,
  columns: { last: t.int8 },
});
/** Agents whose kept end of the attestation, or whose raw value of it, is not the one of now. */
const ATTESTED_CHANGED = statement({
  name: "cred-attested-changed",
  params: { seconds: t.int8 },
  text: `
    select k.token_id from (
      select c.token_id, c.coinbase, c.coinbase_input, ${countsUntil("e")} as until
      from offchain.exchange_verification e
        join onchain.agent a on a.token_id = e.token_id and a.owner = e.recipient
        join offchain.cred c on c.token_id = e.token_id offset 0) k
    where k.coinbase_input <> k.until or (k.coinbase > 0) <> (k.until > $seconds::int8)`,
  columns: { token_id: t.int8 },
});

const staleIn = (tokens: string) => `
    select coalesce(a.token_id, c.token_id) as token_id
    from (select token_id, updated_block from onchain.agent where ${tokens}) a
      full join (select * from offchain.cred where ${tokens}) c on c.token_id = a.token_id
    where ${isStale("a", "c")}`;

const STALE = statement({
  name: "cred-stale",
  text: staleIn("true"),
  columns: { token_id: t.int8 },
});
const STALE_IN_RANGE = statement({
  name: "cred-stale-in-range",
  params: { from: t.int8, to: t.int8, limit: t.int8 },
  text: `${staleIn("token_id between $from::int8 and $to::int8")} limit $limit`,
  columns: { token_id: t.int8 },
});
/** How many scores a pass over all would compute from the facts or delete. */
export const staleScores = statement({
  name: "cred-stale-count",
  text: `select count(*)::int8 as stale from (${staleIn("true")}) stale`,
  columns: { stale: t.int8 },
  prepared: true,
}).onlyValue;

const WALK = statement({
  name: "cred-walk",
  text: "select walked from offchain.cred_walk for update",
  columns: { walked: t.int8 },
});
const STORE_WALK = statement({
  name: "cred-store-walk",
  params: { walked: t.int8, missed: t.int4 },
  text: "update offchain.cred_walk set walked = $walked, missed = missed + $missed::int4",
});
/** Scores found so far whose inputs had been missed by what keeps them up to date. */
export const missedScores = statement({
  name: "cred-missed",
  text: "select missed from offchain.cred_walk",
  columns: { missed: t.int8 },
  prepared: true,
}).onlyValue;

/** Token ids per transaction of a pass. */
const RANGE_SIZE = 50_000;
/** Stale agents of a range that are recomputed one by one; for more, reading the facts of the whole range is cheaper. */
const MANY_STALE = 5_000;
/** Max agents that are recomputed in sets; for more, one pass over all agents is cheaper. */
const FULL_PASS_ABOVE = 50_000;
/** Runs of `checkCred` that read every agent once. */
export const CHECKS_OF_ALL = 144;

/**
 * Brings every score up to date, in ranges of token ids: reads the facts of agents whose block is newer than their score,
 * and of all others their kept inputs only.
 * @returns number of changed scores
 */
export async function fullPass(pool: pg.Pool, options: RecomputeOptions): Promise<number> {
  const range = { from: 0, to: RANGE_SIZE - 1 };
  let moved = 0;
  for (const { last } = await LAST_TOKEN.one(pool); range.from <= last; range.from += RANGE_SIZE) {
    range.to = range.from + RANGE_SIZE - 1;
    moved += await transaction(pool, async (tx) => {
      await lockAll(tx);
      const stale = await STALE_IN_RANGE.rows(tx, { ...range, limit: MANY_STALE + 1 });
      if (stale.length > MANY_STALE) return (await recomputeRange(tx, range, options)).moved;
      const tokenIds = stale.map(({ token_id }) => token_id).sort((a, b) => a - b);
      const { length } = await recomputeSet(tx, tokenIds, options);
      return length + (await refreshRange(tx, range, options));
    });
  }
  return moved;
}

type Range = { from: number; to: number };
const parameters = (range: Range, { now, cause }: RecomputeOptions) => ({
  seconds: unixSeconds(now),
  now,
  cause,
  ...range,
});
async function recomputeRange(tx: Queryable, range: Range, options: RecomputeOptions) {
  const { removed, ...counts } = await RECOMPUTE_RANGE.one(tx, parameters(range, options));
  await forgetHistories(tx, { tokenIds: removed });
  return counts;
}
const refreshRange = async (tx: Queryable, range: Range, options: RecomputeOptions) =>
  (await REFRESH_RANGE.one(tx, parameters(range, options))).moved;

/**
 * Recomputes the verified agents whose score does not match their owner's attestations now: no event reports an expiry,
 * nor an attestation that was removed before it was indexed.
 * @returns number of changed scores
 */
export async function refreshAttested(pool: pg.Pool, now: Date): Promise<number> {
  const changed = await ATTESTED_CHANGED.rows(pool, { seconds: unixSeconds(now) });
  return recomputeThese(pool, changed, { now, cause: "expiry" });
}

/**
 * Recomputes the scores that only the clock changes: ages that reached another day, attestations that expired.
 * @returns number of changed scores
 */
export async function refreshAges(pool: pg.Pool, now: Date): Promise<number> {
  let moved = await refreshAttested(pool, now);
  const { last } = await LAST_TOKEN.one(pool);
  for (let from = 0; from <= last; from += RANGE_SIZE) {
    const range = { from, to: from + RANGE_SIZE - 1 };
    moved += await transaction(pool, async (tx) => {
      await lockAll(tx);
      return refreshRange(tx, range, { now, cause: "age" });
    });
  }
  return moved;
}

/**
 * Recomputes every agent that has no score, whose score was not computed from its newest block, or that no longer exists:
 * finds changes whose event was lost.
 * @returns number of changed scores
 */
export async function reconcileCred(pool: pg.Pool, now: Date): Promise<number> {
  const stale = await STALE.rows(pool);
  const options = { now, cause: "reconcile" };
  return stale.length > FULL_PASS_ABOVE ? fullPass(pool, options) : recomputeThese(pool, stale, options);
}

async function recomputeThese(
  pool: pg.Pool,
  agents: readonly { token_id: number }[],
  options: RecomputeOptions,
): Promise<number> {
  const tokenIds = agents.map(({ token_id }) => token_id);
  return (await recomputeCred(pool, { tokenIds }, options)).changed.length;
}

/**
 * Compares the next part of all scores with the facts and repairs what differs, so that no mistake of what keeps them up
 * to date lasts: `CHECKS_OF_ALL` calls compare every agent. Continues where the last call of any process ended.
 * @returns number of changed scores, and of those whose inputs had been missed
 */
export async function checkCred(pool: pg.Pool, now: Date): Promise<{ moved: number; missed: number }> {
  const { last } = await LAST_TOKEN.one(pool);
  const counts = { moved: 0, missed: 0 };
  for (let left = Math.ceil((last + 1) / CHECKS_OF_ALL); left > 0; left -= RANGE_SIZE) {
    const { moved, missed } = await checkPart(pool, { size: Math.min(left, RANGE_SIZE), last }, now);
    counts.moved += moved;
    counts.missed += missed;
  }
  return counts;
}

const checkPart = (pool: pg.Pool, { size, last }: { size: number; last: number }, now: Date) =>
  transaction(pool, async (tx) => {
    const { walked: from } = await WALK.one(tx);
    await lockAll(tx);
    const to = from + size - 1;
    const { moved, missed } = await recomputeRange(tx, { from, to }, { now, cause: "reconcile" });
    await STORE_WALK.run(tx, { walked: to >= last ? 0 : to + 1, missed });
    return { moved, missed };
  });
