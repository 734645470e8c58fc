/**
 * The first places of the directory by score, kept day by day for a week: how far a row has moved since.
 * Check then write: not ranked today, then the insert; another process may rank: one statement under an advisory lock.
 */
import type pg from "pg";
import { lockText } from "../sql/locks.ts";
import { statement, t } from "../sql/statement.ts";
import { dropPartitions, makePartitions } from "../sql/time-partitions.ts";
import { transaction } from "../sql/transaction.ts";

/** Max places kept a day; beyond them one agent's gain moves thousands. */
const RANKS_PER_DAY = 10_000;
/** Age in days of the place that today's place is compared with. */
export const RANK_DAYS = 7;

const DAY_MS = 86_400_000;
const startOfDay = (time: Date) => time.getTime() - (time.getTime() % DAY_MS);

/** SQL of the UTC day of a time. */
export const dayOf = (at: string) => `(${at} at time zone 'UTC')::date`;

const STORE = statement({
  name: "directory-ranks-store",
  params: { now: t.timestamptz },
  text: `
    insert into offchain.directory_rank (id, day, rank)
    select id, ${dayOf("$now::timestamptz")}, row_number() over ()
    from (select id from offchain.directory_score where cred_score is not null
          order by cred_score desc nulls last, id limit ${RANKS_PER_DAY}) first
    where not exists (select from offchain.directory_rank where day = ${dayOf("$now::timestamptz")})`,
});
/**
 * Stores today's places in the directory's own order, once a day, and drops those older than RANK_DAYS.
 * @returns how many were stored
 */
export const storeRanks = (pool: pg.Pool, now: Date): Promise<number> =>
  transaction(pool, async (tx) => {
    await lockText(tx, "directory ranks");
    await makePartitions(tx, { table: "directory_rank", period: "day", now });
    const stored = await STORE.run(tx, { now });
    await dropPartitions(tx, { table: "directory_rank", before: new Date(startOfDay(now) - RANK_DAYS * DAY_MS) });
    return stored;
  });
