/** The ledger of payments: each economic fact once, each payment for one request, every change of state a legal one. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Address } from "../core/facts.ts";
import { type PaymentState, statesBefore } from "../core/payments/states.ts";
import {
  COLUMNS,
  type NewPayment,
  type Payment,
  type Settlement,
  type StoredReply,
  toPayment,
  transferFact,
} from "./payments.ts";
import { type Queryable, transaction } from "./transaction.ts";

/** A payment somebody works on; once another has taken it over, the holder of the old lease changes nothing. */
export type Held = { payment: Payment; lease: string };

export type Presented =
  /** Ours to work on. It may be new, or be where a former attempt has left it. */
  | ({ kind: "ours" } & Held)
  /** Another request with this payment is being worked on. */
  | { kind: "busy"; retryAfterSeconds: number }
  /** The same request had it fulfilled, or made a credit. */
  | { kind: "done"; payment: Payment }
  /** It belongs to another request. */
  | { kind: "other" }
  /** Its client has given its identifier to another payment before. */
  | { kind: "identifier_used" }
  /** Another open payment is for the same thing. */
  | { kind: "held" };

/** Thrown inside to start over: somebody wrote the same fact at the same moment. */
class Collision extends Error {}

/**
 * Writes a presented payment down, or finds it. Whatever the outcome, at most one request works on a payment at a time.
 * @param leaseMs how long it stands without a sign of life (`renewLease`)
 */
export async function presentPayment(db: pg.Pool, given: NewPayment, leaseMs: number): Promise<Presented> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await transaction(db, (tx) => presentIn(tx, given, leaseMs));
    } catch (error) {
      // A copy of the same payment may have been written down at the same moment: the next look finds it.
      if (isHeld(error) && attempt > 0) return { kind: "held" };
      if (!(error instanceof Collision || isHeld(error)) || attempt === 4) throw error;
    }
  }
}

async function presentIn(tx: Queryable, given: NewPayment, leaseMs: number): Promise<Presented> {
  const found = await tx.query(
    `select ${COLUMNS}, greatest(0, extract(epoch from lease_until - clock_timestamp()))::float8 as wait,
       payment_id in (select payment_id from offchain.payment_fact where fact = any($2)) as known
     from offchain.payment where payment_id in (select payment_id from offchain.payment_fact where fact = any($1))
     order by payment_id for update`,
    [namesOf(given), given.facts],
  );
  if (found.rows.length === 0) return insertPayment(tx, given, leaseMs);
  if (!found.rows.every(({ known }) => known)) return { kind: "identifier_used" };
  if (found.rows.length > 1) return { kind: "other" };
  const { wait, known: _, ...row } = found.rows[0];
  const payment = toPayment(row);
  if (payment.state === "released") return presentAgain(tx, payment, given, leaseMs);
  if (payment.fingerprint !== given.fingerprint) return { kind: "other" };
  if (!["new", "settling", "paid"].includes(payment.state)) return { kind: "done", payment };
  // The same authorization number signed over other terms is another payment.
  if (payment.payee !== given.payee || payment.amountUnits !== given.amountUnits) return { kind: "other" };
  if (wait > 0) return { kind: "busy", retryAfterSeconds: Math.max(1, Math.ceil(wait)) };
  const lease = randomUUID();
  await tx.query(
    "update offchain.payment set lease = $2, lease_until = clock_timestamp() + $3 * interval '1 ms' where payment_id = $1",
    [payment.paymentId, lease, leaseMs],
  );
  return { kind: "ours", payment, lease };
}

/** Everything the payment is to be known by. */
const namesOf = ({ facts, identifier }: NewPayment) => (identifier ? [...facts, identifier] : facts);

const TERMS = `operation = $2, payer = $3, payee = $4, amount_units = $5, wallet = $6, fingerprint = $7, holds = $8,
  effect = $9, credential = $10, valid_before = $11, lease = $12, lease_until = clock_timestamp() + $13 * interval '1 ms',
  updated_at = clock_timestamp(), reason = null`;
const termsOf = (given: NewPayment, lease: string, leaseMs: number) => [
  given.operation,
  given.payer,
  given.payee,
  String(given.amountUnits),
  given.wallet,
  given.fingerprint,
  given.holds,
  given.effect === null ? null : JSON.stringify(given.effect),
  given.credential === null ? null : JSON.stringify(given.credential),
  given.validBefore,
  lease,
  leaseMs,
];

async function insertPayment(tx: Queryable, given: NewPayment, leaseMs: number): Promise<Presented> {
  const paymentId = randomUUID();
  const lease = randomUUID();
  const { rows } = await tx.query(
    `insert into offchain.payment (payment_id, operation, payer, payee, amount_units, wallet, fingerprint, holds, effect,
       credential, valid_before, lease, lease_until, method, chain_id, asset, since_block, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp() + $13 * interval '1 ms', $14, $15, $16,
       $17, 'new')
     returning ${COLUMNS}`,
    [paymentId, ...termsOf(given, lease, leaseMs), given.method, given.chainId, given.asset, given.sinceBlock],
  );
  const { rowCount } = await tx.query(
    "insert into offchain.payment_fact (fact, payment_id) select unnest($1::text[]), $2 on conflict (fact) do nothing",
    [namesOf(given), paymentId],
  );
  if (rowCount !== namesOf(given).length) throw new Collision();
  const payment = toPayment(rows[0]);
  if (!given.settlement) return { kind: "ours", payment, lease };
  const paid = await move(tx, { paymentId, lease }, "paid", ["new"], settled(given.settlement));
  return { kind: "ours", payment: paid!, lease };
}

/** A payment that was released is as good as new, also for another request. */
async function presentAgain(tx: Queryable, before: Payment, given: NewPayment, leaseMs: number): Promise<Presented> {
  const { paymentId } = before;
  const lease = randomUUID();
  // What was seen of it for one request proves nothing for another: its signature may be public by now.
  const sameRequest = before.fingerprint === given.fingerprint;
  const sinceBlock = sameRequest ? Math.min(before.sinceBlock, given.sinceBlock) : given.sinceBlock;
  const { rows } = await tx.query(
    `update offchain.payment set state = 'new', ${TERMS}, since_block = $15
     where payment_id = $1 and state = any($14) returning ${COLUMNS}`,
    [paymentId, ...termsOf(given, lease, leaseMs), statesBefore("new"), sinceBlock],
  );
  const payment = toPayment(rows[0]);
  if (given.identifier)
    await tx.query(
      "insert into offchain.payment_fact (fact, payment_id) values ($1, $2) on conflict (fact) do nothing",
      [given.identifier, paymentId],
    );
  if (!given.settlement) return { kind: "ours", payment, lease };
  const paid = await move(tx, { paymentId, lease }, "paid", ["new"], settled(given.settlement));
  return { kind: "ours", payment: paid!, lease };
}

const isHeld = (error: unknown): boolean => {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23505" && constraint === "payment_holds";
};

const settled = ({ txHash, logIndex, nth, block, blockHash }: Settlement) => ({
  tx_hash: txHash,
  log_index: logIndex,
  nth,
  block,
  block_hash: blockHash,
  paid_at: new Date(),
});

/**
 * Changes the state of a payment if the table of transitions allows it.
 * @param who with a lease: only while it is still its holder's
 * @param only the states this change is for: some states may follow from others for different reasons
 * @returns the payment; null when it is in a state that does not lead there, or the lease is gone
 */
async function move(
  tx: Queryable,
  who: { paymentId: string; lease?: string | undefined },
  to: PaymentState,
  only: readonly PaymentState[],
  changes: Record<string, unknown> = {},
): Promise<Payment | null> {
  const before = statesBefore(to).filter((from) => only.includes(from));
  const names = Object.keys(changes);
  const { rows } = await tx.query(
    `update offchain.payment set state = $2, updated_at = clock_timestamp()${names.map((name, i) => `, ${name} = $${i + 5}`).join("")}
     where payment_id = $1 and state = any($3) and ($4::uuid is null or lease = $4) returning ${COLUMNS}`,
    [who.paymentId, to, before, who.lease ?? null, ...names.map((name) => changes[name])],
  );
  return rows[0] ? toPayment(rows[0]) : null;
}

type Holder = { paymentId: string; lease?: string };

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

/** Somebody has settled what was released: the money is there, and nobody waits for what it should buy. */
export const oweReleased = (db: pg.Pool, payment: Paid, at: Settlement): Promise<Payment | null> =>
  transaction(db, async (tx) =>
    (await ownTransfer(tx, payment, at))
      ? move(tx, { paymentId: payment.paymentId }, "refund_due", ["released"], {
          ...settled(at),
          holds: null,
          effect: null,
          reason: "settled_late",
        })
      : null,
  );

/** A reorganisation has moved the transfer to another place. */
export async function relocatePayment(db: pg.Pool, payment: Paid, at: Settlement): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await ownTransfer(tx, payment, at))) return;
    await tx.query(
      `update offchain.payment set tx_hash = $2, log_index = $3, nth = $4, block = $5, block_hash = $6,
         updated_at = clock_timestamp()
       where payment_id = $1`,
      [payment.paymentId, at.txHash, at.logIndex, at.nth, at.block, at.blockHash],
    );
  });
}

/** Refused for good: nothing moved. @param reason a stable word */
export const releasePayment = (db: Queryable, who: Holder, reason: string) =>
  move(db, who, "released", ["new", "settling"], { reason, lease: null, lease_until: null });

/** The effect is done; in the effect's own transaction. @param bought `<kind>:<id>` */
export const fulfilPayment = (tx: Queryable, who: Holder, bought: string) =>
  move(tx, who, "fulfilled", ["paid"], { bought, effect: null, reason: null });

/** The money is there and cannot buy what it should. @param reason a stable word */
export const owePayment = (tx: Queryable, who: Holder, reason: string) =>
  move(tx, who, "refund_due", ["paid", "fulfilled"], {
    reason,
    holds: null,
    effect: null,
    lease: null,
    lease_until: null,
  });

/** An operator has sent it back. @param reference how, such as a transaction hash */
export const refundPayment = (db: Queryable, paymentId: string, reference: string) =>
  move(db, { paymentId }, "refunded", ["refund_due"], { reason: reference });

/** The block with the transfer is gone: unpaid again. Facts stay: they are still this payment's. */
export const unsettlePayment = (db: Queryable, paymentId: string) =>
  move(db, { paymentId }, "settling", ["paid"], {
    tx_hash: null,
    log_index: null,
    nth: null,
    block: null,
    block_hash: null,
    paid_at: null,
  });

/** What was bought stays bought, the money is gone. */
export const losePayment = (db: Queryable, paymentId: string, reason: string) =>
  move(db, { paymentId }, "lost", ["fulfilled"], { reason });

/** What it bought turned out impossible later on: a credit for the payer. @returns null when nothing was paid for it */
export async function oweWhatBought(tx: Queryable, bought: string, reason: string): Promise<Payment | null> {
  const { rows } = await tx.query("select payment_id from offchain.payment where bought = $1 and state = 'fulfilled'", [
    bought,
  ]);
  return rows[0] ? owePayment(tx, { paymentId: rows[0].payment_id }, reason) : null;
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
 * Spends a credit of the wallet on a request: the oldest one of a fitting price.
 * @returns null without one; `held` when another open payment is for the same thing
 */
export async function spendCredit(
  db: pg.Pool,
  asked: Pick<NewPayment, "operation" | "payee" | "fingerprint" | "holds" | "effect"> & {
    wallet: Address;
    amounts: bigint[];
  },
  leaseMs: number,
): Promise<Held | "held" | null> {
  const lease = randomUUID();
  try {
    const { rows } = await db.query(
      `update offchain.payment set state = 'paid', operation = $2, fingerprint = $3, holds = $4, effect = $5, lease = $6,
         lease_until = clock_timestamp() + $7 * interval '1 ms', updated_at = clock_timestamp(), reason = null,
         bought = null, answer_status = null, answer_headers = null, answer_body = null
       where payment_id = (
         select payment_id from offchain.payment
         where (payer = $1 or wallet = $1) and state = 'refund_due' and payee = $8 and amount_units = any($9)
         order by created_at limit 1 for update skip locked)
       and state = any($10) returning ${COLUMNS}`,
      [
        asked.wallet,
        asked.operation,
        asked.fingerprint,
        asked.holds,
        asked.effect === null ? null : JSON.stringify(asked.effect),
        lease,
        leaseMs,
        asked.payee,
        asked.amounts.map(String),
        statesBefore("paid"),
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

/** Keeps the answer that a payment bought. */
export async function storeReply(db: Queryable, paymentId: string, reply: StoredReply): Promise<void> {
  await db.query(
    `update offchain.payment set answer_status = $2, answer_headers = $3, answer_body = $4
     where payment_id = $1 and state = 'fulfilled'`,
    [paymentId, reply.status, JSON.stringify(reply.headers), reply.body],
  );
}

/** Takes up a payment nobody works on; null when somebody does. */
export async function takeUp(db: Queryable, paymentId: string, leaseMs: number): Promise<Held | null> {
  const lease = randomUUID();
  const { rows } = await db.query(
    `update offchain.payment set lease = $2, lease_until = clock_timestamp() + $3 * interval '1 ms'
     where payment_id = $1 and (lease_until is null or lease_until < clock_timestamp()) returning ${COLUMNS}`,
    [paymentId, lease, leaseMs],
  );
  return rows[0] ? { payment: toPayment(rows[0]), lease } : null;
}

/** The transfer lies deep enough: nothing about it will be asked again. */
export async function finalizePayment(db: Queryable, paymentId: string): Promise<void> {
  await db.query(
    `update offchain.payment set final_at = clock_timestamp(), credential = null
     where payment_id = $1 and block is not null and final_at is null`,
    [paymentId],
  );
}
