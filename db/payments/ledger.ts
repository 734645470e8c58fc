/** The ledger of payments: each economic fact once, each payment for one request, every change of state a legal one. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "../../core/agents/facts.ts";
import { MAX_CHAIN_REFUSALS, type PaymentState, statesBefore } from "../../core/payments/states.ts";
import { family, statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { COLUMNS, PAYMENT_ROW, type Payment, type PaymentClaim, type Settlement, transferFact } from "./payments.ts";

/**
 * The right of one request or job to work on a payment. Writes name `leaseId`; after a takeover the row has another one,
 * and writes of the old holder change nothing.
 */
export type Lease = { payment: Payment; leaseId: string };

/** Whether a write failed because another open payment has the same `unique_key`. */
export const isUniqueKeyTaken = (error: unknown): boolean => {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23505" && constraint === "payment_unique_key";
};

/** Columns that a change of state may set besides the state. */
type Changes = Partial<{
  chain_refusals: number;
  tx_hash: Hex | null;
  log_index: number | null;
  nth: number | null;
  block: number | null;
  block_hash: Hex | null;
  paid_at: Date | null;
  early_at: Date | null;
  wallet: null;
  unique_key: null;
  effect: null;
  reason: string | null;
  bought: string | null;
  lease: null;
  lease_until: null;
}>;

/** The columns that say where the money moved. */
export const settled = ({ txHash, logIndex, nth, block, blockHash }: Settlement) => ({
  tx_hash: txHash,
  log_index: logIndex,
  nth,
  block,
  block_hash: blockHash,
  paid_at: new Date(),
});

/** The columns of a payment whose block is gone. */
const UNSETTLED = {
  tx_hash: null,
  log_index: null,
  nth: null,
  block: null,
  block_hash: null,
  paid_at: null,
  early_at: null,
};

/** The columns that a payment loses when it becomes a credit. */
const CREDIT = { unique_key: null, effect: null, lease: null, lease_until: null };

type Who = { paymentId: string; leaseId?: string | undefined; blockHash?: string | null | undefined };
type Move = { who: Who; to: PaymentState; before: readonly PaymentState[]; changes: Changes };

const EXAMPLE_WHO = { paymentId: randomUUID() };
const MOVE = family({
  name: "payment-move",
  text: ({ who, to, before, changes }: Move, $) => `
    update offchain.payment set state = ${$(to)}, updated_at = clock_timestamp()
      ${Object.entries(changes)
        .map(([column, value]) => `, ${column} = ${$(value)}`)
        .join("")}
    where payment_id = ${$(who.paymentId)} and state = any(${$(before)})
      ${who.leaseId ? `and lease = ${$(who.leaseId)}` : ""} ${who.blockHash ? `and block_hash = ${$(who.blockHash)}` : ""}
    returning ${COLUMNS}`,
  columns: PAYMENT_ROW,
  examples: [
    { who: EXAMPLE_WHO, to: "settling", before: ["new"], changes: {} },
    { who: { ...EXAMPLE_WHO, leaseId: randomUUID(), blockHash: "0x" }, to: "paid", before: [], changes: UNSETTLED },
    { who: EXAMPLE_WHO, to: "refund_due", before: [], changes: { ...CREDIT, wallet: null, reason: "", bought: "" } },
  ],
});

/**
 * Changes the state of a payment if the table of transitions allows it.
 * @param who with a leaseId: only while that lease is valid; with a block's hash: only while the row has that block
 * @param only the states this change may start from: a state may follow others for different reasons
 * @returns the payment; null when its state does not allow the change, or the lease or the block is not current
 */
export async function move(
  tx: Queryable,
  who: Who,
  to: PaymentState,
  only: readonly PaymentState[],
  changes: Changes = {},
): Promise<Payment | null> {
  const before = statesBefore(to).filter((from) => only.includes(from));
  return MOVE.maybeOne(tx, { who, to, before, changes });
}

type Holder = { paymentId: string; leaseId?: string };

/** A payment as it was read: a change is made only where the row still has the same block. */
type SeenPayment = Pick<Payment, "paymentId" | "state" | "blockHash">;

/** Records that settlement begins: afterwards the money may have moved. */
export const beginSettling = (db: Queryable, who: Holder) => move(db, who, "settling", ["new"]);

/**
 * Records where the money moved.
 * @param who its lease; without one another request could present the payment with other terms meanwhile
 * @param payment as it was read under the lease
 * @returns null when another payment owns that transfer, or the state or the lease has changed meanwhile
 */
export async function recordPaid(
  db: pg.Pool,
  who: Required<Holder>,
  payment: PaidPayment,
  at: Settlement,
): Promise<Payment | null> {
  return transaction(db, async (tx) =>
    (await ownTransfer(tx, payment, at)) ? move(tx, who, "paid", ["new", "settling"], settled(at)) : null,
  );
}

/** The payment that a transfer becomes a fact of. */
export type PaidPayment = Pick<Payment, "paymentId" | "chainId" | "payer" | "payee" | "amountUnits">;

const ADD_FACT = statement({
  name: "payment-fact-add",
  params: { fact: t.text, paymentId: t.uuid },
  text: `insert into offchain.payment_fact (fact, payment_id) values ($fact, $paymentId) on conflict (fact) do nothing`,
});
const OWNER_OF_FACT = statement({
  name: "payment-fact-owner",
  params: { fact: t.text },
  text: "select payment_id from offchain.payment_fact where fact = $fact",
  columns: { payment_id: t.uuid },
});

/** Assigns a transfer to a payment. @returns false when another payment has it */
export async function ownTransfer(tx: Queryable, payment: PaidPayment, at: Settlement): Promise<boolean> {
  const { paymentId } = payment;
  const fact = transferFact({ ...payment, ...at });
  await ADD_FACT.run(tx, { fact, paymentId });
  return (await OWNER_OF_FACT.one(tx, { fact })).payment_id === paymentId;
}

/**
 * A released authorization was settled: the money is there, and no request waits for its effect.
 * @param serves whether the settlement serves the recorded claim; otherwise only its payer may use the money
 */
export const oweReleased = (
  db: pg.Pool,
  who: Required<Holder>,
  payment: PaidPayment,
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

const RELOCATE = statement({
  name: "payment-relocate",
  params: {
    paymentId: t.uuid,
    before: t.nullable(t.text),
    txHash: t.text,
    logIndex: t.int4,
    nth: t.int4,
    block: t.int8,
    blockHash: t.text,
  },
  text: `
    update offchain.payment set tx_hash = $txHash, log_index = $logIndex, nth = $nth, block = $block,
      block_hash = $blockHash, early_at = null, updated_at = clock_timestamp()
    where payment_id = $paymentId and block_hash = $before`,
});

/**
 * A reorganisation has moved the transfer to another place, or a payment that was sold for early has its confirmations.
 * @returns whether the row still had the earlier block
 */
export const relocatePayment = (db: pg.Pool, payment: PaidPayment & SeenPayment, at: Settlement): Promise<boolean> =>
  transaction(db, async (tx) => {
    if (!(await ownTransfer(tx, payment, at))) return false;
    const { txHash, logIndex, nth, block, blockHash } = at;
    const place = { txHash, logIndex, nth, block, blockHash };
    return (await RELOCATE.run(tx, { paymentId: payment.paymentId, before: payment.blockHash, ...place })) === 1;
  });

/** The payment was refused finally: no money moved. @param reason a stable word */
export const releasePayment = (db: Queryable, who: Holder, reason: string) =>
  move(db, who, "released", ["new", "settling"], { reason, lease: null, lease_until: null });

/** The effect is done; called in the effect's own transaction. @param bought `<kind>:<id>` */
export const fulfilPayment = (tx: Queryable, who: Holder, bought: string) =>
  move(tx, who, "fulfilled", ["paid"], { bought, effect: null, reason: null });

/** The money is there and the effect is impossible: the payment becomes a credit. @param reason a stable word */
export const owePayment = (tx: Queryable, who: Holder, reason: string) =>
  move(tx, who, "refund_due", ["paid"], { ...CREDIT, reason });

/** An operator has sent the money back. @param reference of the refund, such as a transaction hash */
export const refundPayment = (db: Queryable, paymentId: string, reference: string) =>
  move(db, { paymentId }, "refunded", ["refund_due"], { reason: reference });

/**
 * The block with the transfer is gone: unpaid again, and released where there is nothing to settle again. Facts stay:
 * they are still this payment's.
 */
export const unsettlePayment = (db: pg.Pool, seen: SeenPayment) =>
  transaction(db, async (tx) => {
    const unpaid = await move(tx, seen, "settling", ["paid"], UNSETTLED);
    if (!unpaid || unpaid.credential !== null) return unpaid;
    return releasePayment(tx, { paymentId: seen.paymentId }, "reorganised_away");
  });

/** The money is gone: a done effect stays, and a credit ends, which has bought nothing then. */
export const losePayment = (db: Queryable, seen: SeenPayment, reason: string) =>
  seen.state === "refund_due"
    ? move(db, seen, "lost", ["refund_due"], { reason, bought: null })
    : move(db, seen, "lost", ["fulfilled"], { reason });

const BY_BOUGHT = statement({
  name: "payment-by-bought",
  params: { bought: t.text, state: t.text },
  text: `
    select payment_id, chain_refusals as refusals from offchain.payment where bought = $bought and state = $state`,
  columns: { payment_id: t.uuid, refusals: t.int4 },
});

/**
 * The chain refused the effect: the payment becomes a credit of its payer.
 * Bound: transactions of one payment are three. A receiver can be built to pass the simulation and to refuse in the block,
 * which costs the service up to the gas of a mint; a third refusal leaves the credit to be sent back by an operator.
 * Check then write: the state, then the same statement (so `revokeCredit`); spent meanwhile: guarded update on the
 * state.
 * @returns null when nothing was paid for it
 */
export async function oweWhatBought(tx: Queryable, bought: string, reason: string): Promise<Payment | null> {
  const payment = await BY_BOUGHT.maybeOne(tx, { bought, state: "fulfilled" });
  if (!payment) return null;
  const changes = { ...CREDIT, reason, chain_refusals: payment.refusals + 1 };
  return move(tx, { paymentId: payment.payment_id }, "refund_due", ["fulfilled"], changes);
}

/** The effect was carried out after all: the credit is revoked unless it has been spent. */
export async function revokeCredit(tx: Queryable, bought: string): Promise<Payment | null> {
  const payment = await BY_BOUGHT.maybeOne(tx, { bought, state: "refund_due" });
  return payment && move(tx, { paymentId: payment.payment_id }, "fulfilled", ["refund_due"], { reason: null });
}

const SPEND_CREDIT = statement({
  name: "payment-spend-credit",
  params: {
    paymentId: t.uuid,
    blockHash: t.nullable(t.text),
    operation: t.text,
    fingerprint: t.text,
    uniqueKey: t.nullable(t.text),
    effect: t.nullable(t.jsonb<unknown>()),
    lease: t.uuid,
    leaseMs: t.float8,
    before: t.array(t.text),
    payee: t.text,
    amountUnits: t.numeric,
  },
  text: `
    update offchain.payment set state = 'paid', operation = $operation, fingerprint = $fingerprint, unique_key = $uniqueKey,
      effect = $effect, lease = $lease, lease_until = clock_timestamp() + $leaseMs * interval '1 ms',
      updated_at = clock_timestamp(), reason = null, bought = null, answer_status = null, answer_headers = null,
      answer_body = null
    where payment_id = $paymentId and block_hash = $blockHash and state = 'refund_due' and state = any($before)
      and chain_refusals < ${MAX_CHAIN_REFUSALS} and payee = $payee and amount_units = $amountUnits
    returning ${COLUMNS}`,
  columns: PAYMENT_ROW,
});

/**
 * Spends a credit on a request.
 * @param credit as it was read when its money was checked on the chain
 * @returns null when it is no credit any more; `unique_key_taken` when another open payment has the unique key
 */
export async function spendCredit(
  db: Queryable,
  credit: Pick<Payment, "paymentId" | "blockHash" | "payee" | "amountUnits">,
  claim: Pick<PaymentClaim, "operation" | "fingerprint" | "uniqueKey" | "effect">,
  leaseMs: number,
): Promise<Lease | "unique_key_taken" | null> {
  const leaseId = randomUUID();
  const lease = { lease: leaseId, leaseMs, before: statesBefore("paid") };
  try {
    const payment = await SPEND_CREDIT.maybeOne(db, { ...credit, ...claim, ...lease });
    return payment && { payment, leaseId };
  } catch (error) {
    if (isUniqueKeyTaken(error)) return "unique_key_taken";
    throw error;
  }
}
