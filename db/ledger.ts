/** The ledger of payments: each economic fact once, each payment for one request, every change of state a legal one. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type PaymentState, statesBefore } from "../core/payments/states.ts";
import {
  COLUMNS,
  type Payment,
  type PaymentClaim,
  type Settlement,
  type StoredReply,
  toPayment,
  transferFact,
  UNDECIDED,
} from "./payments.ts";
import { type Queryable, transaction } from "./transaction.ts";

/** A payment somebody works on; once another has taken it over, the holder of the old lease changes nothing. */
export type Held = { payment: Payment; lease: string };

/** Whether a write failed because another open payment is for the same thing. */
export const isHeld = (error: unknown): boolean => {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23505" && constraint === "payment_unique_key";
};

/** The columns that say where the money moved. */
export const settled = ({ txHash, logIndex, nth, block, blockHash }: Settlement) => ({
  tx_hash: txHash,
  log_index: logIndex,
  nth,
  block,
  block_hash: blockHash,
  paid_at: new Date(),
});

/**
 * Changes the state of a payment if the table of transitions allows it.
 * @param who with a lease: only while it is still its holder's; with a block's hash: only while its transfer is noted there
 * @param only the states this change is for: some states may follow from others for different reasons
 * @returns the payment; null when it is in a state that does not lead there, or the lease is gone
 */
export async function move(
  tx: Queryable,
  who: { paymentId: string; lease?: string | undefined; blockHash?: string | null | undefined },
  to: PaymentState,
  only: readonly PaymentState[],
  changes: Record<string, unknown> = {},
): Promise<Payment | null> {
  const before = statesBefore(to).filter((from) => only.includes(from));
  const names = Object.keys(changes);
  const { rows } = await tx.query(
    `update offchain.payment set state = $2, updated_at = clock_timestamp()${names.map((name, i) => `, ${name} = $${i + 6}`).join("")}
     where payment_id = $1 and state = any($3) and ($4::uuid is null or lease = $4)
       and ($5::text is null or block_hash = $5)
     returning ${COLUMNS}`,
    [who.paymentId, to, before, who.lease ?? null, who.blockHash ?? null, ...names.map((name) => changes[name])],
  );
  return rows[0] ? toPayment(rows[0]) : null;
}

type Holder = { paymentId: string; lease?: string };

/** A payment as somebody has seen it: the change is made only where its transfer is still noted at the same place. */
type Seen = Pick<Payment, "paymentId" | "state" | "blockHash">;

/** Notes that settlement begins: from here on the money may have moved. */
export const beginSettling = (db: Queryable, who: Holder) => move(db, who, "settling", ["new"]);

/**
 * Notes where the money moved. @returns null when another payment owns that transfer, or this one has gone elsewhere
 * meanwhile
 */
export async function recordPaid(db: pg.Pool, who: Holder, payment: Paid, at: Settlement): Promise<Payment | null> {
  return transaction(db, async (tx) =>
    (await ownTransfer(tx, payment, at)) ? move(tx, who, "paid", ["new", "settling"], settled(at)) : null,
  );
}

/** Whose money a transfer is to be. */
type Paid = Pick<Payment, "paymentId" | "chainId" | "payer" | "payee" | "amountUnits">;

/** Makes a transfer a payment's own. @returns false when it is another's */
async function ownTransfer(tx: Queryable, payment: Paid, at: Settlement): Promise<boolean> {
  const { paymentId } = payment;
  const fact = transferFact({ ...payment, ...at });
  await tx.query("insert into offchain.payment_fact (fact, payment_id) values ($1, $2) on conflict (fact) do nothing", [
    fact,
    paymentId,
  ]);
  const { rows } = await tx.query("select payment_id from offchain.payment_fact where fact = $1", [fact]);
  return rows[0].payment_id === paymentId;
}

/**
 * Somebody has settled what was released: the money is there, and nobody waits for what it should buy.
 * @param serves whether the settlement serves the claim it was noted for; else it is its payer's alone
 */
export const oweReleased = (
  db: pg.Pool,
  who: Required<Holder>,
  payment: Paid,
  at: Settlement,
  serves: boolean,
): Promise<Payment | null> =>
  transaction(db, async (tx) =>
    (await ownTransfer(tx, payment, at))
      ? move(tx, who, "refund_due", ["released"], {
          ...settled(at),
          ...(!serves && { wallet: null }),
          unique_key: null,
          effect: null,
          reason: "settled_late",
        })
      : null,
  );

/** A reorganisation has moved the transfer to another place. @returns whether it was still noted where it was seen */
export const relocatePayment = (db: pg.Pool, payment: Paid & Seen, at: Settlement): Promise<boolean> =>
  transaction(db, async (tx) => {
    if (!(await ownTransfer(tx, payment, at))) return false;
    const { rowCount } = await tx.query(
      `update offchain.payment set tx_hash = $2, log_index = $3, nth = $4, block = $5, block_hash = $6,
         updated_at = clock_timestamp()
       where payment_id = $1 and block_hash = $7`,
      [payment.paymentId, at.txHash, at.logIndex, at.nth, at.block, at.blockHash, payment.blockHash],
    );
    return rowCount === 1;
  });

/** Refused for good: nothing moved. @param reason a stable word */
export const releasePayment = (db: Queryable, who: Holder, reason: string) =>
  move(db, who, "released", ["new", "settling"], { reason, lease: null, lease_until: null });

/** The effect is done; in the effect's own transaction. @param bought `<kind>:<id>` */
export const fulfilPayment = (tx: Queryable, who: Holder, bought: string) =>
  move(tx, who, "fulfilled", ["paid"], { bought, effect: null, reason: null });

/** What a payment loses when it becomes a credit. */
const CREDIT = { unique_key: null, effect: null, lease: null, lease_until: null };

/** The money is there and cannot buy what it should. @param reason a stable word */
export const owePayment = (tx: Queryable, who: Holder, reason: string) =>
  move(tx, who, "refund_due", ["paid"], { ...CREDIT, reason });

/** An operator has sent it back. @param reference how, such as a transaction hash */
export const refundPayment = (db: Queryable, paymentId: string, reference: string) =>
  move(db, { paymentId }, "refunded", ["refund_due"], { reason: reference });

/**
 * The block with the transfer is gone: unpaid again, and released where there is nothing to settle again. Facts stay:
 * they are still this payment's.
 */
export const unsettlePayment = (db: pg.Pool, seen: Seen & Pick<Payment, "method">) =>
  transaction(db, async (tx) => {
    const unpaid = await move(tx, seen, "settling", ["paid"], {
      tx_hash: null,
      log_index: null,
      nth: null,
      block: null,
      block_hash: null,
      paid_at: null,
    });
    if (!unpaid || seen.method !== "transaction") return unpaid;
    return releasePayment(tx, { paymentId: seen.paymentId }, "reorganised_away");
  });

/** The money is gone: what was bought stays bought, and a credit is none any more. */
export const losePayment = (db: Queryable, seen: Seen, reason: string) =>
  move(db, seen, "lost", ["fulfilled", "refund_due"], { reason });

/** What it bought turned out impossible later on: a credit for the payer. @returns null when nothing was paid for it */
export async function oweWhatBought(tx: Queryable, bought: string, reason: string): Promise<Payment | null> {
  const { rows } = await tx.query("select payment_id from offchain.payment where bought = $1 and state = 'fulfilled'", [
    bought,
  ]);
  if (!rows[0]) return null;
  return move(tx, { paymentId: rows[0].payment_id }, "refund_due", ["fulfilled"], { ...CREDIT, reason });
}

/** It turned out possible after all: the credit is taken back unless it has been spent. */
export async function unoweWhatBought(tx: Queryable, bought: string): Promise<Payment | null> {
  const { rows } = await tx.query(
    "select payment_id from offchain.payment where bought = $1 and state = 'refund_due'",
    [bought],
  );
  return rows[0] ? move(tx, { paymentId: rows[0].payment_id }, "fulfilled", ["refund_due"], { reason: null }) : null;
}

/**
 * Spends a credit on a request.
 * @param credit as it was seen when its money was looked for
 * @returns null when it is none any more; `held` when another open payment is for the same thing
 */
export async function spendCredit(
  db: Queryable,
  credit: Pick<Payment, "paymentId" | "blockHash" | "payee" | "amountUnits">,
  asked: Pick<PaymentClaim, "operation" | "fingerprint" | "uniqueKey" | "effect">,
  leaseMs: number,
): Promise<Held | "held" | null> {
  const lease = randomUUID();
  try {
    const { rows } = await db.query(
      `update offchain.payment set state = 'paid', operation = $3, fingerprint = $4, unique_key = $5, effect = $6, lease = $7,
         lease_until = clock_timestamp() + $8 * interval '1 ms', updated_at = clock_timestamp(), reason = null,
         bought = null, answer_status = null, answer_headers = null, answer_body = null
       where payment_id = $1 and block_hash = $2 and state = 'refund_due' and state = any($9) and payee = $10
         and amount_units = $11
       returning ${COLUMNS}`,
      [
        credit.paymentId,
        credit.blockHash,
        asked.operation,
        asked.fingerprint,
        asked.uniqueKey,
        asked.effect === null ? null : JSON.stringify(asked.effect),
        lease,
        leaseMs,
        statesBefore("paid"),
        credit.payee,
        String(credit.amountUnits),
      ],
    );
    return rows[0] ? { payment: toPayment(rows[0]), lease } : null;
  } catch (error) {
    if (isHeld(error)) return "held";
    throw error;
  }
}

/** Shows that the holder lives. @returns false when the payment has been taken over */
export async function renewLease(db: Queryable, who: Required<Holder>, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update offchain.payment set lease_until = clock_timestamp() + $3 * interval '1 ms'
     where payment_id = $1 and lease = $2`,
    [who.paymentId, who.lease, leaseMs],
  );
  return rowCount === 1;
}

/** Lets the next request with this payment go on at once. */
export async function dropLease(db: Queryable, who: Required<Holder>): Promise<void> {
  await db.query("update offchain.payment set lease = null, lease_until = null where payment_id = $1 and lease = $2", [
    who.paymentId,
    who.lease,
  ]);
}

/** Keeps the answer that a payment bought, the first one. @param payment as it was when its request had it fulfilled */
export async function storeReply(
  db: Queryable,
  { paymentId, fingerprint }: Pick<Payment, "paymentId" | "fingerprint">,
  reply: StoredReply,
): Promise<void> {
  await db.query(
    `update offchain.payment set answer_status = $3, answer_headers = $4, answer_body = $5
     where payment_id = $1 and fingerprint = $2 and state = 'fulfilled' and answer_status is null`,
    [paymentId, fingerprint, reply.status, JSON.stringify(reply.headers), reply.body],
  );
}

/** Takes up a payment nobody works on, which counts as a look at it; null when somebody does. */
export async function takeUp(db: Queryable, paymentId: string, leaseMs: number): Promise<Held | null> {
  const lease = randomUUID();
  const { rows } = await db.query(
    `update offchain.payment set lease = $2, lease_until = clock_timestamp() + $3 * interval '1 ms',
       swept_at = clock_timestamp()
     where payment_id = $1 and (lease_until is null or lease_until < clock_timestamp()) returning ${COLUMNS}`,
    [paymentId, lease, leaseMs],
  );
  return rows[0] ? { payment: toPayment(rows[0]), lease } : null;
}

/** The transfer lies deep enough where it was seen: nothing about it will be asked again. */
export async function finalizePayment(db: Queryable, { paymentId, blockHash }: Seen): Promise<boolean> {
  const { rowCount } = await db.query(
    `update offchain.payment set final_at = clock_timestamp(), credential = null
     where payment_id = $1 and block_hash = $2 and final_at is null`,
    [paymentId, blockHash],
  );
  return rowCount === 1;
}

/** A released authorization is void, and no block holds it: nothing about it will be asked again. */
export async function forgetReleased(db: Queryable, { paymentId, lease }: Required<Holder>): Promise<void> {
  await db.query(
    "update offchain.payment set credential = null where payment_id = $1 and lease = $2 and state = 'released'",
    [paymentId, lease],
  );
}

/**
 * Closes what can be looked for no more, because its chain is not configured any more: 24 hours after its last change a
 * transfer is final as it was last seen, a released authorization is void, and one whose outcome is open keeps its state
 * and stands in the way of nothing.
 * @param chains that are configured
 * @returns how many were closed
 */
export async function closeUnwatched(db: Queryable, chains: readonly number[]): Promise<number> {
  const { rowCount } = await db.query(
    `update offchain.payment set
       final_at = case when block is not null then clock_timestamp() end,
       credential = case when block is null and state <> 'released' then credential end,
       unique_key = case when block is null then null else unique_key end,
       effect = case when block is null then null else effect end
     where chain_id <> all($1) and ${UNDECIDED}
       and (state not in ('new', 'settling') or unique_key is not null or effect is not null)
       and updated_at < clock_timestamp() - interval '24 hours'
       and (lease_until is null or lease_until < clock_timestamp())`,
    [chains],
  );
  return rowCount ?? 0;
}
