/** Which rows of a table with `trust` (0 to 100) and `next_try_at` have their turn: the most trusted first, and every fourth the one due for longest. */

/** One place of this many in a run is for what has been due longest, of any trust. */
const PLACES_PER_TURN = 4;

/**
 * SQL of the query `due`, and of those before it, of at most `$limit` rows by trust and a share of them by time. Both are an
 * index probe for each level of trust: nothing that is not due is read.
 * @param columns of the rows, in addition to `trust` and `next_try_at`
 */
export const dueOf = (table: string, columns: readonly string[]): string => {
  const probe = (levels: string, limit: string) => `
      select ${columns.map((name) => `r.${name}`).join(", ")}, r.trust, r.next_try_at
      from generate_series(${levels}) t(trust) cross join lateral (
        select * from ${table} r where r.trust = t.trust and r.next_try_at <= $now
        order by r.next_try_at limit ${limit}) r`;
  return `trusted as materialized (${probe("100, 0, -1", "$limit")}
      limit $limit), longest as materialized (${probe("0, 100", `$limit / ${PLACES_PER_TURN}`)}
      order by next_try_at limit $limit / ${PLACES_PER_TURN}), due as (
      select * from trusted union all select * from longest)`;
};

/** SQL of the places by trust and by time that `IN_TURN` orders by. @param since SQL of when it was due */
export const placesOf = (since: string): string => `row_number() over (order by trust desc, ${since}) as by_trust,
        row_number() over (order by ${since}, trust desc) as by_time`;

export const IN_TURN = `least(by_trust * ${PLACES_PER_TURN}.0 / ${PLACES_PER_TURN - 1}, by_time * ${PLACES_PER_TURN}), by_trust`;
