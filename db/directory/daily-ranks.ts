/**
 * What is kept of the directory day by day: the first places by score for a week, and the dollars that tokens traded.
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

/** Whole UTC days of the longest window. */
const VOLUME_DAYS = 30;

/** A quote has the dollars of the 24 hours before it: the last quote of a day has nearly those of the day. */
const STORE_VOLUMES = statement({
  name: "token-volumes-store",
  params: { now: t.timestamptz },
  text: `
    insert into offchain.token_volume as v (token_address, day, volume_usd)
    select m.token_address, ${dayOf("m.fetched_at")}, m.volume_24h_usd from offchain.token_market m
    where m.known and m.volume_24h_usd > 0 and m.fetched_at >= $now::timestamptz - interval '1 day'
    order by m.token_address
    on conflict (token_address, day) do update set volume_usd = excluded.volume_usd
    where v.volume_usd <> excluded.volume_usd`,
});
const FORGET_VOLUMES = statement({
  name: "token-volumes-forget",
  params: { now: t.timestamptz },
  text: `delete from offchain.token_volume where day < ${dayOf("$now::timestamptz")} - ${VOLUME_DAYS}`,
});

/** Today is not among the days: rows change once a day. */
const SHOW_VOLUMES = statement({
  name: "token-volumes-show",
  params: { now: t.timestamptz },
  text: `
    with sums as (
      select token_address, sum(volume_usd) filter (where day >= today - 7) as seven, sum(volume_usd) as thirty
      from offchain.token_volume, (select ${dayOf("$now::timestamptz")} as today) t
      where day < today and day >= today - ${VOLUME_DAYS} group by token_address
    ), differing as materialized (
      select d.id, s.seven, s.thirty
      from offchain.directory d left join sums s on s.token_address = d.token_address and d.token_counts
      where (d.token_address is not null or d.volume_30d_usd is not null) and d.removed_at is null
        and (d.volume_7d_usd, d.volume_30d_usd) is distinct from (s.seven, s.thirty)
      order by d.id for no key update of d)
    update offchain.directory d set volume_7d_usd = n.seven, volume_30d_usd = n.thirty from differing n where d.id = n.id`,
});

/**
 * The dollars that tokens traded on each of the last days, and their sums on the rows of the directory: the longer
 * windows of `trending`.
 * Stores the day's volume of every quoted token, deletes those older than the longest window, and shows the sums on the
 * rows of the tokens.
 * @returns how many rows of the directory are different
 */
export const storeVolumes = (pool: pg.Pool, now: Date): Promise<number> =>
  transaction(pool, async (tx) => {
    await lockText(tx, "token volumes");
    await STORE_VOLUMES.run(tx, { now });
    await FORGET_VOLUMES.run(tx, { now });
    return SHOW_VOLUMES.run(tx, { now });
  });
