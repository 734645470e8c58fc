/** The feed of score changes: every committed one, in the order of its id, none passed over. */
import type { Queryable } from "./transaction.ts";

export type CredUpdate = {
  id: number;
  tokenId: number;
  score: number;
  cause: string;
  /** The agent's newest block that the score was computed from. */
  block: number;
  at: Date;
};

/** Upper bits of the locks that writers of the history hold (migration 0004); the lower 40 are an id. */
const ANNOUNCED = 4_411_972;

/**
 * Up to which id nothing is to come any more: below every id that a running transaction may still commit.
 *
 * A writer locks before its ids are given out. One whose lock is not seen here has therefore either ended, and is seen
 * by the next statement, or will be given ids beyond the greatest one known to this statement's snapshot, which is older
 * than its look at the locks.
 */
const SETTLED = {
  name: "cred-updates-settled",
  text: `
    select least(
      (select coalesce(max(id), 0) from offchain.cred_history),
      (select min(((classid::int8 & 255) << 32) + objid::int8) from pg_locks
       where locktype = 'advisory' and objsubid = 1 and classid::int8 >> 8 = ${ANNOUNCED}
         and database = (select oid from pg_database where datname = current_database()))
    )::int8 as settled`,
};

/**
 * The changes after an id, oldest first. Statements are on their own on purpose: the second must see more than the first.
 * @param db a pool, not the client of a transaction with one snapshot
 */
export async function credUpdates(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<{ updates: CredUpdate[]; more: boolean }> {
  const { rows: bounds } = await db.query(SETTLED);
  const { rows } = await db.query({
    name: "cred-updates",
    text: `
      select id, token_id, score, cause, block, at from offchain.cred_history
      where id > $1 and id <= $2 order by id limit $3`,
    values: [after, bounds[0].settled, limit + 1],
  });
  return {
    updates: rows.slice(0, limit).map((row) => ({
      id: Number(row.id),
      tokenId: Number(row.token_id),
      score: row.score,
      cause: row.cause,
      block: Number(row.block),
      at: row.at,
    })),
    more: rows.length > limit,
  };
}
