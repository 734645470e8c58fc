/** The feed of score changes: every committed one, in the order of its id, none passed over, reorganisations included. */
import type { Queryable } from "./transaction.ts";

export type CredUpdate = {
  id: number;
  tokenId: number;
  /** Null when the agent does not exist any more. */
  score: number | null;
  cause: string;
  at: Date;
};

/** Cause of an entry that takes back earlier ones. */
const CORRECTED = "reorganisation";

/** Upper bits of the locks that writers of the history hold (db/triggers.sql); the lower 40 are an id. */
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
      greatest((select max(id) from offchain.cred_history), (select max(id) from offchain.cred_correction), 0),
      (select min(((classid::int8 & 255) << 32) + objid::int8) from pg_locks
       where locktype = 'advisory' and objsubid = 1 and classid::int8 >> 8 = ${ANNOUNCED}
         and database = (select oid from pg_database where datname = current_database()))
    )::int8 as settled`,
};

/** The id up to which the history is settled. @param db in a transaction one that is READ COMMITTED */
export async function settledCredId(db: Queryable): Promise<number> {
  const { rows } = await db.query(SETTLED);
  return Number(rows[0].settled);
}

/**
 * The changes after an id, oldest first. A reorganisation removes points of the history that may have been served; its
 * entry shows the score that the agent has now. Following the feed therefore always ends in the true scores.
 * @param db a pool, not the client of a transaction with one snapshot: the second statement must see more than the first
 */
export async function credUpdates(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<{ updates: CredUpdate[]; more: boolean }> {
  const settled = await settledCredId(db);
  const { rows } = await db.query({
    name: "cred-updates",
    text: `
      (select id, token_id, score, cause, at from offchain.cred_history
       where id > $1 and id <= $2 order by id limit $3)
      union all
      (select k.id, k.token_id, c.score, '${CORRECTED}', k.at
       from offchain.cred_correction k left join offchain.cred c on c.token_id = k.token_id
       where k.id > $1 and k.id <= $2 order by k.id limit $3)
      order by id limit $3`,
    values: [after, settled, limit + 1],
  });
  return {
    updates: rows.slice(0, limit).map((row) => ({
      id: Number(row.id),
      tokenId: Number(row.token_id),
      score: row.score,
      cause: row.cause,
      at: row.at,
    })),
    more: rows.length > limit,
  };
}
