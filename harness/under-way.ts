/** Work that the service has still to do; and whether its index and its scores are right. */
import type pg from "pg";
import { recomputeCred } from "../db/cred/cred.ts";
import { readIndexState } from "../db/operations/index-state.ts";

/** What must come to its end by itself, as SQL that counts what has not. */
export const OPEN = {
  "payments that are not finished": "offchain.payment where state in ('new', 'settling', 'paid')",
  "transactions that are not sent": "offchain.transaction_outbox where state in ('queued', 'signed')",
  "mints that are not decided": "offchain.mint where state = 'pending'",
  "events that are no jobs yet": "offchain.dispatch where state = 'pending'",
} as const;

/** Payments whose transfer a reorganisation could still take back. */
export const UNFINAL = "offchain.payment where block is not null and final_at is null and state <> 'lost'";

export async function countOf(db: pg.Pool, what: string): Promise<number> {
  const { rows } = await db.query(`select count(*)::int as n from ${what}`);
  return rows[0].n;
}

/**
 * Takes whatever was given up for given up hours ago: the sweeper waits for a client, and a run does not. On the chain the
 * authorization is good for minutes yet, so this is done only when no client is left that could bring it there.
 */
export const ageAbandoned = (db: pg.Pool) =>
  db.query(`
    update offchain.payment set updated_at = updated_at - interval '25 hours', lease_until = null,
           valid_before = least(valid_before, now() - interval '1 hour')
    where state in ('new', 'settling', 'paid') and (lease_until is null or lease_until < now() - interval '5 seconds')`);

/** Whether the index serves what the chain said at this block, itself and not a copy kept from before. */
export async function isIndexed(db: pg.Pool, block: number): Promise<boolean> {
  const { ready, retainedView, stale, indexedBlock } = await readIndexState(db);
  return ready && !retainedView && !stale && indexedBlock! >= block;
}

/** Agents whose stored score is not what the formula has now, a sentence each: nothing may be left to recompute. */
export async function staleScores(db: pg.Pool, tokenIds: number[]): Promise<string[]> {
  const client = await db.connect();
  try {
    await client.query("begin");
    const { changed } = await recomputeCred(client, { tokenIds }, { now: new Date(), cause: "asked by a test" });
    return changed.map(({ tokenId, score, previous }) => `agent ${tokenId} is scored ${previous} and not ${score}`);
  } finally {
    await client.query("rollback");
    client.release();
  }
}
