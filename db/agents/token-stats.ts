/**
 * Number of holders of the service token: a job counts it, every process reads it.
 * Check then write: not counted lately, then the insert; another process may count: one statement under an advisory
 * lock.
 */
import { tokenStats as stats } from "../schema/service.ts";
import { preparedQuery } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/**
 * Counts the present holders and keeps the number, unless it is younger than `maxAgeMs`.
 * @returns whether it was counted
 * @throws when there are no views yet (`isNoIndex`)
 */
export const countHolders = statement({
  name: "token-stats-count",
  params: { now: t.timestamptz, maxAgeMs: t.float8 },
  text: `
    insert into offchain.token_stats (holders, updated_at)
    select (select count(*) from onchain.service_token_balance where balance_units > 0), $now::timestamptz
    where not exists (
      select from offchain.token_stats where updated_at > $now::timestamptz - $maxAgeMs * interval '1 ms')
    on conflict (one) do update set holders = excluded.holders, updated_at = excluded.updated_at`,
}).found;

const LATEST = preparedQuery((db) =>
  db.select({ holders: stats.holders, updatedAt: stats.updatedAt }).from(stats).prepare("token-stats"),
);

/** The latest count; null before the first. */
export async function tokenStats(db: Queryable): Promise<{ holders: number; updatedAt: Date } | null> {
  const [row] = await LATEST(db).execute();
  return row ?? null;
}
