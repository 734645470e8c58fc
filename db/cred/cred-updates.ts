/** The feed of score changes: every committed change in the order of ids, without gaps, reorganisations included. */
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { primaryOf } from "../sql/read-route.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";

export type CredUpdate = Row<typeof UPDATES>;

/** Cause of an entry that undoes earlier ones. */
const CORRECTED = "reorganisation";

/**
 * The id up to which the history is complete: below every id that a running transaction may still commit.
 *
 * A writer takes a lock before it gets its ids. A writer without a lock here has therefore either ended, so that the next
 * statement sees its rows, or will get ids above the greatest one of this statement's snapshot, because the snapshot is
 * older than the reading of the locks.
 */
const SETTLED = statement({
  name: "cred-updates-settled",
  text: `
    select least(
      greatest((select max(id) from offchain.cred_history), (select max(id) from offchain.cred_correction), 0),
      (select min(((classid::int8 & 255) << 32) + objid::int8) from pg_locks
       where locktype = 'advisory' and objsubid = 1 and classid::int8 >> 8 = ${ADVISORY_LOCKS.credHistory}
         and database = (select oid from pg_database where datname = current_database()))
    )::int8 as settled`,
  columns: { settled: t.int8 },
  prepared: true,
});

/**
 * The id up to which the history is complete. The primary answers: a replica does not know the locks of writers.
 * @param db in a transaction one that is READ COMMITTED
 */
export async function settledCredId(db: Queryable): Promise<number> {
  return (await SETTLED.one(primaryOf(db))).settled;
}

const UPDATES = statement({
  name: "cred-updates",
  params: { after: t.int8, settled: t.int8, limit: t.int8 },
  text: `
    (select id, token_id as "tokenId", score, cause, at from offchain.cred_history
     where id > $after and id <= $settled order by id limit $limit)
    union all
    (select k.id, k.token_id, c.score, '${CORRECTED}', k.at
     from offchain.cred_correction k left join offchain.cred c on c.token_id = k.token_id
     where k.id > $after and k.id <= $settled order by k.id limit $limit)
    order by id limit $limit`,
  columns: {
    id: t.int8,
    tokenId: t.int8,
    /** Null when the agent no longer exists. */
    score: t.nullable(t.int2),
    cause: t.text,
    at: t.timestamptz,
  },
  prepared: true,
});

/**
 * The changes after an id, oldest first. A reorganisation deletes points of the history that may have been read; its
 * entry has the score that the agent has now. So a reader of the feed always ends with the true scores.
 * @param db a pool, not the client of a transaction with one snapshot: the second statement must see more than the first
 */
export async function credUpdates(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<{ updates: CredUpdate[]; more: boolean }> {
  const settled = await settledCredId(db);
  const rows = await UPDATES.rows(db, { after, settled, limit: limit + 1 });
  return { updates: rows.slice(0, limit), more: rows.length > limit };
}
