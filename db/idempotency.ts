/** Answers of writes by Idempotency-Key: claimed before the work, kept a day after it. */
import type pg from "pg";
import { deleteInParts } from "./batches.ts";

/** Days a key is remembered; afterwards it names a new operation. */
const KEPT = "24 hours";

/** Names a claim; the time it was made is a fencing token: after a takeover the former holder changes nothing. */
export type Claim = { scope: string; key: string; claimedAt: string };
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

export type Claimed =
  /** The key is ours: do the work. */
  | { kind: "claimed"; claim: Claim }
  /** The same request was answered before. */
  | ({ kind: "done" } & StoredAnswer)
  /** Another process is at it. */
  | { kind: "running"; retryAfterSeconds: number }
  /** The key belongs to another request. */
  | { kind: "other" };

/**
 * Claims a key, or says what became of it. An expired row counts as absent; a running row whose lease has run out was
 * left by a crash and is taken over by the same request.
 * @param request.scope who: the authenticated wallet, else the client's address
 * @param request.fingerprint tells requests apart
 */
export async function claim(
  db: pg.Pool,
  request: { scope: string; key: string; fingerprint: string; leaseMs: number },
): Promise<Claimed> {
  const { scope, key, fingerprint, leaseMs } = request;
  // A row may vanish between the two statements (released or expired); then the key is free again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const taken = await db.query<{ claimed_at: string }>({
      name: "idempotency-claim",
      text: `
        insert into offchain.idempotency as row (scope, key, fingerprint, state, created_at, lease_until)
        values ($1, $2, $3, 'running', clock_timestamp(), clock_timestamp() + $4 * interval '1 ms')
        on conflict (scope, key) do update
          set fingerprint = excluded.fingerprint, state = 'running', status = null, headers = null, body = null,
              created_at = excluded.created_at, lease_until = excluded.lease_until
          where row.created_at < clock_timestamp() - interval '${KEPT}'
             or (row.state = 'running' and row.lease_until < clock_timestamp() and row.fingerprint = excluded.fingerprint)
        returning created_at::text as claimed_at`,
      values: [scope, key, fingerprint, leaseMs],
    });
    if (taken.rows[0]) return { kind: "claimed", claim: { scope, key, claimedAt: taken.rows[0].claimed_at } };
    const { rows } = await db.query<{
      fingerprint: string;
      state: string;
      status: number;
      headers: Record<string, string>;
      body: string;
      wait: number;
    }>({
      name: "idempotency-read",
      text: `
        select fingerprint, state, status, headers, body,
               ceil(extract(epoch from lease_until - clock_timestamp()))::float8 as wait
        from offchain.idempotency where scope = $1 and key = $2`,
      values: [scope, key],
    });
    const row = rows[0];
    if (row === undefined) continue;
    if (row.fingerprint !== fingerprint) return { kind: "other" };
    if (row.state === "done") return { kind: "done", status: row.status, headers: row.headers, body: row.body };
    return { kind: "running", retryAfterSeconds: Math.max(1, row.wait) };
  }
  return { kind: "running", retryAfterSeconds: 1 };
}

const MINE = "scope = $1 and key = $2 and created_at = $3::timestamptz and state = 'running'";

/** Shows that the holder lives. */
export async function renew(db: pg.Pool, claim: Claim, leaseMs: number): Promise<void> {
  await db.query({
    name: "idempotency-renew",
    text: `update offchain.idempotency set lease_until = clock_timestamp() + $4 * interval '1 ms' where ${MINE}`,
    values: [claim.scope, claim.key, claim.claimedAt, leaseMs],
  });
}

/** Stores the answer. Does nothing when the claim has been taken over. */
export async function finish(db: pg.Pool, claim: Claim, answer: StoredAnswer): Promise<void> {
  await db.query({
    name: "idempotency-finish",
    text: `update offchain.idempotency set state = 'done', status = $4, headers = $5, body = $6 where ${MINE}`,
    values: [claim.scope, claim.key, claim.claimedAt, answer.status, JSON.stringify(answer.headers), answer.body],
  });
}

/** Gives the key back: nothing about this request is settled. */
export async function release(db: pg.Pool, claim: Claim): Promise<void> {
  await db.query({
    name: "idempotency-release",
    text: `delete from offchain.idempotency where ${MINE}`,
    values: [claim.scope, claim.key, claim.claimedAt],
  });
}

/** Removes what is no longer remembered. @returns the number of rows removed */
export const forgetExpired = (db: pg.Pool): Promise<number> =>
  deleteInParts(db, "offchain.idempotency", `created_at < now() - interval '${KEPT}'`);
