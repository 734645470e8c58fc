/** How many hold the service token: counted by a job, read by everybody. */
import type { Queryable } from "./transaction.ts";

/**
 * Counts the present holders and keeps the number, unless it is younger than `maxAgeMs`.
 * @returns whether it was counted
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function countHolders(
  db: Queryable,
  { now, maxAgeMs }: { now: Date; maxAgeMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into offchain.token_stats (holders, updated_at)
     select (select count(*) from onchain.service_token_balance where balance_units > 0), $1::timestamptz
     where not exists (select from offchain.token_stats where updated_at > $1::timestamptz - $2 * interval '1 ms')
     on conflict (one) do update set holders = excluded.holders, updated_at = excluded.updated_at`,
    [now, maxAgeMs],
  );
  return rowCount === 1;
}

/** The number last counted; null before it ever was. */
export async function tokenStats(db: Queryable): Promise<{ holders: number; updatedAt: Date } | null> {
  const { rows } = await db.query({
    name: "token-stats",
    text: `select holders, updated_at as "updatedAt" from offchain.token_stats`,
  });
  return rows[0] ?? null;
}
