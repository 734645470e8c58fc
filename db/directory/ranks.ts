/** The first places of the directory by score, kept day by day for a week: how far a row has moved since. */
import type pg from "pg";
import { transaction } from "../transaction.ts";

/** Places that are kept; beyond them one agent's gain moves thousands. */
export const RANKED = 10_000;
/** What a place is compared with is so many days old. */
export const RANK_DAYS = 7;

/** SQL of the UTC day of a time. */
export const dayOf = (at: string) => `(${at} at time zone 'UTC')::date`;

/** Notes today's places in the directory's own order, once a day, and forgets those that nothing is compared with. @returns how many were noted */
export async function noteRanks(pool: pg.Pool, now: Date): Promise<number> {
  return transaction(pool, async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended('directory ranks', 0))");
    const { rowCount } = await tx.query(
      `insert into offchain.directory_rank (id, day, rank)
       select id, ${dayOf("$1::timestamptz")}, row_number() over ()
       from (select id from offchain.directory_score where cred_score is not null
             order by cred_score desc nulls last, id limit ${RANKED}) first
       where not exists (select from offchain.directory_rank where day = ${dayOf("$1::timestamptz")})`,
      [now],
    );
    await tx.query(`delete from offchain.directory_rank where day < ${dayOf("$1::timestamptz")} - ${RANK_DAYS}`, [now]);
    return rowCount ?? 0;
  });
}
