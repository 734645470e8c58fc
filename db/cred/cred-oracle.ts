/** The per-token oracle: what it held when it was last read, which scores differ from it, and the transactions that write them. */
import type pg from "pg";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { oracleGas } from "../../core/transactions/gas-bounds.ts";
import { lockText } from "../sql/locks.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { queueIntent } from "../transactions/transaction-outbox.ts";

export type ScoreToCompare = { tokenId: number; score: number };
/** What the oracle holds of a token. `updatedAt` Unix seconds, 0: never written. Null where the contract refused the read. */
export type OracleValue = { score: number; updatedAt: number } | null;

/**
 * @param day midnight before now (UTC)
 * @returns `comparedAt` null: never. `open`: transactions to it that are not decided. `decided`: those that used a nonce.
 *   `gas`: the limits of those signed today
 */
export const oracleState = statement({
  name: "cred-oracle-state",
  params: { oracle: t.text, day: t.timestamptz },
  text: `
    select
      (select compared_at from offchain.cred_oracle where oracle = $oracle) as "comparedAt",
      (select count(*)::int4 from offchain.transaction_outbox
       where state in ('queued', 'signed') and intent_key like 'oracle:%') as open,
      (select count(*)::int4 from offchain.transaction_outbox
       where state in ('mined', 'reverted') and intent_key like 'oracle:%') as decided,
      (select coalesce(sum(gas_limit), 0) from offchain.transaction_outbox
       where intent_key like 'oracle:%' and signed_at >= $day) as gas`,
  columns: { comparedAt: t.nullable(t.timestamptz), open: t.int4, decided: t.int4, gas: t.uint256 },
}).one;

/**
 * Scores that the oracle has to be read for: those that differ most and those read longest ago take turns, so that scores that
 * move often keep no other back. They are: never read, different by `threshold` or more
 * from the last read, or not read for `rereadMs`, because others may have written.
 * @param asked.run start of this run: what was read since is left out
 */
export const scoresToCompare = statement({
  name: "cred-oracle-to-compare",
  params: { oracle: t.text, threshold: t.int2, run: t.timestamptz, rereadMs: t.float8, limit: t.int8 },
  text: `
    select c.token_id as "tokenId", c.score
    from offchain.cred c
      left join offchain.cred_oracle_value v on v.oracle = $oracle and v.token_id = c.token_id
    where v.read_at is null
      or v.read_at < $run and (
        v.updated_at = 0 or abs(c.score - v.score) >= $threshold
        or v.read_at < $run::timestamptz - $rereadMs * interval '1 ms')
    order by least(
        row_number() over (order by abs(c.score - coalesce(v.score, 0)) desc, c.token_id),
        row_number() over (order by v.read_at nulls first, c.token_id)), c.token_id limit $limit`,
  columns: { tokenId: t.int8, score: t.int2 },
}).rows;

/** Stores what was read from the chain. A later read stays. */
export const storeOracleReads = statement({
  name: "cred-oracle-store-reads",
  given: (oracle: Address, reads: readonly { tokenId: number; held: OracleValue }[], readAt: Date) => ({
    oracle,
    reads: reads.map(({ tokenId, held }) => ({ tokenId, ...(held ?? { score: null, updatedAt: null }) })),
    readAt,
  }),
  params: {
    oracle: t.text,
    reads: t.records({ tokenId: t.int8, score: t.nullable(t.int2), updatedAt: t.nullable(t.int8) }),
    readAt: t.timestamptz,
  },
  text: `
    insert into offchain.cred_oracle_value as v (oracle, token_id, score, updated_at, read_at)
    select $oracle, reads.token_id, reads.score, reads.updated_at, $readAt from $reads order by reads.token_id
    on conflict (oracle, token_id) do update
      set score = excluded.score, updated_at = excluded.updated_at, read_at = excluded.read_at
      where v.read_at <= excluded.read_at`,
}).run;

const COMPARED = statement({
  name: "cred-oracle-compared",
  params: { oracle: t.text, at: t.timestamptz },
  text: `
    insert into offchain.cred_oracle (oracle, compared_at) values ($oracle, $at)
    on conflict (oracle) do update set compared_at = excluded.compared_at`,
});

const FORGET_READS = statement({
  name: "cred-oracle-forget-reads",
  params: { oracle: t.text, tokenIds: t.array(t.int8) },
  text: "delete from offchain.cred_oracle_value where oracle = $oracle and token_id = any($tokenIds::int8[])",
});

/** A transaction of scores. `change`: hash of what the oracle held, and of what it is to hold. */
export type OracleBatch = { change: Hex; data: Hex; tokenIds: number[] };

/**
 * Queues batches as intents `oracle:<number of those decided>:<change>`, as far as the day's gas allows, unless others
 * are under way. The same change may come again later.
 * Check then write: none is under way, the oracle's values and the day's gas, then intents and `compared_at`; another
 * run may queue them: lock by name, both checked again under it; the key names the batches before it and what the
 * oracle held.
 * @returns the number of scores queued
 */
export const queueOracleBatches = (
  pool: pg.Pool,
  oracle: Address,
  batches: readonly OracleBatch[],
  now: { at: Date; day: Date; gasPerDay: bigint },
): Promise<number> =>
  transaction(pool, async (tx) => {
    await lockText(tx, "cred-oracle");
    const { open, decided, gas } = await oracleState(tx, { oracle, day: now.day });
    if (open > 0) return 0;
    let left = now.gasPerDay - gas;
    let queued = 0;
    for (const { change, data, tokenIds } of batches) {
      left -= oracleGas(tokenIds.length);
      if (left < 0n) break;
      const intentKey = `oracle:${decided}:${change}`;
      const order = await queueIntent(tx, { intentKey, to: oracle, data, waits: true, free: null });
      // What was read is true no longer once this is mined.
      await FORGET_READS.run(tx, { oracle, tokenIds });
      if (order.queued) queued += tokenIds.length;
    }
    await COMPARED.run(tx, { oracle, at: now.at });
    return queued;
  });

const SCORES = statement({
  name: "cred-oracle-scores",
  params: { tokenIds: t.array(t.int8) },
  text: `select token_id as "tokenId", score from offchain.cred where token_id = any($tokenIds::int8[])`,
  columns: { tokenId: t.int8, score: t.int2 },
});

/** The stored scores of tokens. */
export const storedScores = async (db: Queryable, tokenIds: readonly number[]): Promise<Map<number, number>> =>
  new Map((await SCORES.rows(db, { tokenIds: [...tokenIds] })).map(({ tokenId, score }) => [tokenId, score]));
