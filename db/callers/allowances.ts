/** Token buckets in the database: they hold for all processes together, and survive them. */
import type pg from "pg";
import type { Bucket } from "../../core/agents/social-proof-allowances.ts";
import { deleteInParts } from "../sql/batches.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";

const TAKE = statement({
  name: "allowance-take",
  params: {
    buckets: t.records({ name: t.text, most: t.float8, perSecond: t.float8, tokens: t.float8 }),
    now: t.timestamptz,
  },
  // A bucket that nothing is added to keeps what was taken from it when its size changes.
  text: `
    with b as (select * from $buckets)
    insert into offchain.allowance as a (name, level, most, per_second, at)
    select name, least(most, most - tokens), most, per_second, $now from b order by name
    on conflict (name) do update set most = excluded.most, per_second = excluded.per_second,
      at = greatest(a.at, excluded.at),
      level = least(excluded.most, least(excluded.most,
        a.level + case when excluded.per_second = 0 then excluded.most - a.most
          else greatest(0, extract(epoch from excluded.at - a.at)) * excluded.per_second end)
        - (select b.tokens from b where b.name = excluded.name))
    returning name, level`,
  columns: { name: t.text, level: t.float8 },
  prepared: true,
});

/**
 * Takes tokens from each of some buckets, all at once; rows are locked in the order of their names.
 * @param times how often each bucket's cost is taken; less than 0 gives it back, up to a full bucket
 * @returns what is left, by name; below 0 where there were too few: then the caller rolls back
 */
export async function takeTokens(
  tx: Queryable,
  buckets: readonly Bucket[],
  times: number,
  now: Date,
): Promise<Map<string, number>> {
  const taken = buckets.map(({ cost = 1, ...bucket }) => ({ ...bucket, tokens: cost * times }));
  const rows = await TAKE.rows(tx, { buckets: taken, now });
  return new Map(rows.map(({ name, level }) => [name, level]));
}

/**
 * Takes its cost from each bucket, or nothing from any.
 * Check then write: the level, then the new level; one upsert, rolled back below 0; the rows are locked in the order of
 * names.
 * @returns seconds until each has enough, 0 when it was taken
 */
export async function takeAll(db: pg.Pool, buckets: readonly Bucket[], now: Date): Promise<number> {
  let seconds = 0;
  const enough = new Error("not enough");
  await transaction(db, async (tx) => {
    const left = await takeTokens(tx, buckets, 1, now);
    for (const { name, perSecond, endsAt } of buckets) {
      const missing = -left.get(name)!;
      const wait = endsAt ? (endsAt.getTime() - now.getTime()) / 1000 : missing / perSecond;
      if (missing > 0) seconds = Math.max(seconds, Math.ceil(wait), 1);
    }
    if (seconds > 0) throw enough;
  }).catch((error) => {
    if (error !== enough) throw error;
  });
  return seconds;
}

/**
 * Takes the next token of each bucket, to be used when all are there.
 * @returns milliseconds until then; above `maxWaitMs` none was taken
 */
export async function takeTurn(db: Queryable, buckets: Bucket[], maxWaitMs: number, now: Date): Promise<number> {
  const left = await takeTokens(db, buckets, 1, now);
  const ms = Math.max(0, ...buckets.map(({ name, perSecond }) => (-left.get(name)! / perSecond) * 1000));
  if (ms > maxWaitMs) await takeTokens(db, buckets, -1, now);
  return ms;
}

const LEVELS = statement({
  name: "allowance-levels",
  params: { names: t.array(t.text), now: t.timestamptz },
  text: `
    select name, most,
           least(most, level + greatest(0, extract(epoch from $now::timestamptz - at)) * per_second)::float8 as level
    from offchain.allowance where name = any($names)`,
  columns: { name: t.text, most: t.float8, level: t.float8 },
  prepared: true,
});

/** Tokens left and tokens of a full bucket, by name; a bucket that nothing was taken from is left out. */
export async function levelsOf(
  db: Queryable,
  names: readonly string[],
  now: Date,
): Promise<Map<string, { level: number; most: number }>> {
  const rows = await LEVELS.rows(db, { names, now });
  return new Map(rows.map(({ name, level, most }) => [name, { level, most }]));
}

/** Forgets buckets that are full again, and those of past days. @returns how many */
export const forgetFullAllowances = (db: Queryable, now: Date): Promise<number> =>
  deleteInParts(
    db,
    "offchain.allowance",
    `level + greatest(0, extract(epoch from $1::timestamptz - at)) * per_second >= most
      or (per_second = 0 and at < $1::timestamptz - interval '2 days')`,
    [now],
  );
