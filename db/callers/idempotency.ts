/** Answers of writes by Idempotency-Key: claimed before the work, kept a day after it. */
import type pg from "pg";
import { deleteInParts } from "../sql/batches.ts";
import { statement, t } from "../sql/statement.ts";

/** Time that a key is remembered; afterwards it names a new operation. */
const KEPT = "24 hours";

/** Names a claim; the time it was made is a fencing token: after a takeover the former holder changes nothing. */
export type IdempotencyClaim = { scope: string; key: string; claimedAt: string };
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

export type IdempotencyOutcome =
  /** The key is ours: do the work. */
  | { kind: "claimed"; claim: IdempotencyClaim }
  /** The same request was answered before. */
  | ({ kind: "done" } & StoredAnswer)
  /** Another process is working on it. */
  | { kind: "running"; retryAfterSeconds: number }
  /** The key belongs to another request. */
  | { kind: "other" };

const CLAIM = statement({
  name: "idempotency-claim",
  params: { scope: t.text, key: t.text, fingerprint: t.text, leaseMs: t.float8 },
  text: `
    insert into offchain.idempotency as row (scope, key, fingerprint, state, created_at, lease_until)
    values ($scope, $key, $fingerprint, 'running', clock_timestamp(), clock_timestamp() + $leaseMs * interval '1 ms')
    on conflict (scope, key) do update
      set fingerprint = excluded.fingerprint, state = 'running', status = null, headers = null, body = null,
          created_at = excluded.created_at, lease_until = excluded.lease_until
      where row.created_at < clock_timestamp() - interval '${KEPT}'
         or (row.state = 'running' and row.lease_until < clock_timestamp() and row.fingerprint = excluded.fingerprint)
    returning created_at::text as claimed_at`,
  columns: { claimed_at: t.text },
  prepared: true,
});

const READ = statement({
  name: "idempotency-read",
  params: { scope: t.text, key: t.text },
  text: `
    select fingerprint, state, status, headers, body,
           ceil(extract(epoch from lease_until - clock_timestamp()))::float8 as wait
    from offchain.idempotency where scope = $scope and key = $key`,
  columns: {
    fingerprint: t.text,
    state: t.text,
    status: t.nullable(t.int4),
    headers: t.nullable(t.jsonb<Record<string, string>>()),
    body: t.nullable(t.text),
    wait: t.float8,
  },
  prepared: true,
});

/**
 * Claims a key, or says what became of it. An expired row counts as absent; a running row whose lease has run out was
 * left by a crash and is taken over by the same request.
 * @param request.scope who: the authenticated wallet, else the client's address
 * @param request.fingerprint differs for each request with other content
 */
export async function claim(
  db: pg.Pool,
  request: { scope: string; key: string; fingerprint: string; leaseMs: number },
): Promise<IdempotencyOutcome> {
  const { scope, key, fingerprint, leaseMs } = request;
  // A row may vanish between the two statements (released or expired); then the key is free again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const taken = await CLAIM.maybeOne(db, { scope, key, fingerprint, leaseMs });
    if (taken) return { kind: "claimed", claim: { scope, key, claimedAt: taken.claimed_at } };
    const row = await READ.maybeOne(db, { scope, key });
    if (row === null) continue;
    if (row.fingerprint !== fingerprint) return { kind: "other" };
    if (row.state === "done") return { kind: "done", status: row.status!, headers: row.headers!, body: row.body! };
    return { kind: "running", retryAfterSeconds: Math.max(1, row.wait) };
  }
  return { kind: "running", retryAfterSeconds: 1 };
}

/** The claim is still its holder's. */
const MINE = "scope = $scope and key = $key and created_at = $claimedAt::text::timestamptz and state = 'running'";
const HOLDER = { scope: t.text, key: t.text, claimedAt: t.text };

/** Shows that the holder lives. */
export const renew = statement({
  name: "idempotency-renew",
  params: { ...HOLDER, leaseMs: t.float8 },
  text: `
    update offchain.idempotency set lease_until = clock_timestamp() + $leaseMs * interval '1 ms' where ${MINE}`,
  prepared: true,
}).run;

/** Stores the answer. Does nothing when the claim has been taken over. */
export const finish = statement({
  name: "idempotency-finish",
  params: { ...HOLDER, status: t.int4, headers: t.jsonb<StoredAnswer["headers"]>(), body: t.text },
  text: `
    update offchain.idempotency set state = 'done', status = $status, headers = $headers, body = $body where ${MINE}`,
  prepared: true,
}).run;

/** Gives the key back: nothing about this request is settled. */
export const release = statement({
  name: "idempotency-release",
  params: HOLDER,
  text: `delete from offchain.idempotency where ${MINE}`,
  prepared: true,
}).run;

/** Removes keys that are no longer remembered. @returns the number of rows removed */
export const forgetExpired = (db: pg.Pool): Promise<number> =>
  deleteInParts(db, "offchain.idempotency", `created_at < now() - interval '${KEPT}'`);
