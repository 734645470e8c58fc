/** Leases of payments: one request or job works on a payment at a time, and the answer that it buys is stored once; and payments that the sweep finishes. */
import { randomUUID } from "node:crypto";
import { type Queryable, statement, t } from "../sql/statement.ts";
import type { Lease } from "./ledger.ts";
import { COLUMNS, PAYMENT_ROW, type StoredReply, UNDECIDED } from "./payments.ts";

const PAYMENTS_PER_RUN = 500;

/** No request works on the payment. */
const UNLEASED = "(lease_until is null or lease_until < clock_timestamp())";

/**
 * Payments whose last read is oldest come first, so that one that cannot be continued does not delay others; one that was
 * never read has its place by its age, so that new ones do not, either. Every read is recorded (`takeUp`, `markSwept`).
 */
const next = (where: string) => `select ${COLUMNS} from offchain.payment where ${where}
  order by coalesce(swept_at, created_at), payment_id limit ${PAYMENTS_PER_RUN}`;

/**
 * Payments that the sweep continues: in the order of their last reads.
 * Payments that are not paid and whose request has ended. @param patience a Postgres interval without a change
 */
export const abandonedPayments = statement({
  name: "payments-abandoned",
  params: { chains: t.array(t.int8), patience: t.text },
  text: next(`state in ('new', 'settling') and updated_at < clock_timestamp() - $patience::text::interval
    and ${UNLEASED} and chain_id = any($chains)`),
  columns: PAYMENT_ROW,
}).rows;

/**
 * Payments that are paid and whose effect was not done. One that was accepted early first gets its confirmations.
 * @param query.effectPatience a Postgres interval without a change, for those with an effect; `answerPatience` for those
 * that buy an answer
 */
export const unfinishedPayments = statement({
  name: "payments-unfinished",
  params: { effectPatience: t.text, answerPatience: t.text },
  text: next(`state = 'paid' and early_at is null and ${UNLEASED} and updated_at < clock_timestamp()
    - case when effect is null then $answerPatience::text::interval else $effectPatience::text::interval end`),
  columns: PAYMENT_ROW,
}).rows;

/** Released payments whose authorization may still be settled. @param watched a Postgres interval after its end */
export const releasedPayments = statement({
  name: "payments-released",
  params: { chains: t.array(t.int8), watched: t.text },
  text: next(`state = 'released' and credential is not null
    and valid_before > clock_timestamp() - $watched::text::interval and chain_id = any($chains)`),
  columns: PAYMENT_ROW,
}).rows;

/** Payments whose transfer is in a block that is not final yet. */
export const revocablePayments = statement({
  name: "payments-revocable",
  given: (chains: readonly number[]) => ({ chains }),
  params: { chains: t.array(t.int8) },
  text: next("block is not null and final_at is null and state <> 'lost' and chain_id = any($chains)"),
  columns: PAYMENT_ROW,
}).rows;

/** Records that the sweep has read a payment. */
export const markSwept = statement({
  name: "payment-mark-swept",
  params: { paymentId: t.uuid },
  text: "update offchain.payment set swept_at = clock_timestamp() where payment_id = $paymentId",
}).run;

type Holder = { paymentId: string; leaseId: string };

/** Renews the lease. @returns false when another process has taken over the payment */
export const renewLease = statement({
  name: "payment-lease-renew",
  given: ({ paymentId, leaseId }: Holder, leaseMs: number) => ({ paymentId, lease: leaseId, leaseMs }),
  params: { paymentId: t.uuid, lease: t.uuid, leaseMs: t.float8 },
  text: `
    update offchain.payment set lease_until = clock_timestamp() + $leaseMs * interval '1 ms'
    where payment_id = $paymentId and lease = $lease`,
}).found;

const DROP = statement({
  name: "payment-lease-drop",
  params: { paymentId: t.uuid, lease: t.uuid },
  text: `
    update offchain.payment set lease = null, lease_until = null where payment_id = $paymentId and lease = $lease`,
});

/** Ends the lease, so that the next request with this payment continues without waiting. */
export async function dropLease(db: Queryable, { paymentId, leaseId }: Holder): Promise<void> {
  await DROP.run(db, { paymentId, lease: leaseId });
}

const TAKE_UP = statement({
  name: "payment-take-up",
  params: { paymentId: t.uuid, lease: t.uuid, leaseMs: t.float8 },
  text: `
    update offchain.payment set lease = $lease, lease_until = clock_timestamp() + $leaseMs * interval '1 ms',
      swept_at = clock_timestamp()
    where payment_id = $paymentId and (lease_until is null or lease_until < clock_timestamp()) returning ${COLUMNS}`,
  columns: PAYMENT_ROW,
});

/** Leases a payment without a valid lease, and records the time for the sweep's order; null when it has a valid lease. */
export async function takeUp(db: Queryable, paymentId: string, leaseMs: number): Promise<Lease | null> {
  const leaseId = randomUUID();
  const row = await TAKE_UP.maybeOne(db, { paymentId, lease: leaseId, leaseMs });
  return row && { payment: row, leaseId };
}

/** Stores the answer that a payment bought, only the first one. @param payment as it was when its request fulfilled it */
export const storeReply = statement({
  name: "payment-store-reply",
  params: {
    paymentId: t.uuid,
    fingerprint: t.text,
    status: t.int4,
    headers: t.jsonb<StoredReply["headers"]>(),
    body: t.text,
  },
  text: `
    update offchain.payment set answer_status = $status, answer_headers = $headers, answer_body = $body
    where payment_id = $paymentId and fingerprint = $fingerprint and state = 'fulfilled' and answer_status is null`,
}).run;

/** The transfer has enough confirmations in its recorded block: the chain is not read for it again. */
export const finalizePayment = statement({
  name: "payment-finalize",
  params: { paymentId: t.uuid, blockHash: t.nullable(t.text) },
  text: `
    update offchain.payment set final_at = clock_timestamp(), credential = null
    where payment_id = $paymentId and block_hash = $blockHash and final_at is null`,
}).found;

/** A released authorization is void, and no block contains it: the chain is not read for it again. */
export const forgetReleased = statement({
  name: "payment-forget-released",
  given: ({ paymentId, leaseId }: Holder) => ({ paymentId, lease: leaseId }),
  params: { paymentId: t.uuid, lease: t.uuid },
  text: `
    update offchain.payment set credential = null
    where payment_id = $paymentId and lease = $lease and state = 'released'`,
}).run;

/**
 * Closes payments of chains that are not configured any more, and so cannot be read. 24 hours after its last change a
 * transfer is final as it was last seen, a released authorization is void, and a payment whose outcome is open keeps its
 * state and blocks no other.
 * Check then write: state and age, then the same statement; spent meanwhile: guarded update on the state.
 * @param chains that are configured
 * @returns the number of payments that were closed
 */
export const closeUnwatched = statement({
  name: "payments-close-unwatched",
  params: { chains: t.array(t.int8) },
  text: `
    update offchain.payment set
      final_at = case when block is not null then clock_timestamp() end,
      credential = case when block is null and state <> 'released' then credential end,
      unique_key = case when block is null then null else unique_key end,
      effect = case when block is null then null else effect end
    where chain_id <> all($chains) and ${UNDECIDED}
      and (state not in ('new', 'settling') or unique_key is not null or effect is not null)
      and updated_at < clock_timestamp() - interval '24 hours'
      and (lease_until is null or lease_until < clock_timestamp())`,
}).run;
