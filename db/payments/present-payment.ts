/** Entry of a payment into the ledger: found by its name and resumed, or written with the proof that its terms were checked. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { Checked } from "../../core/payments/checked.ts";
import { serves } from "../../core/payments/claims.ts";
import { payment as ledger } from "../schema/payments.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { isUniqueKeyTaken, type Lease, move, settled } from "./ledger.ts";
import {
  COLUMNS,
  PAYMENT_ROW,
  type Payment,
  type PaymentClaim,
  type PaymentName,
  type PaymentTerms,
  type Presenter,
} from "./payments.ts";

export type PresentOutcome =
  /** The caller has the lease. The payment may be new, or in the state in which an earlier attempt left it. */
  | ({ kind: "leased" } & Lease)
  | { kind: "busy"; retryAfterSeconds: number }
  /** The same request fulfilled it, or it became a credit. `named`: it was also presented by its identifier. */
  | { kind: "done"; payment: Payment; named: boolean }
  /** It belongs to another request, or is another payment with the same name. */
  | { kind: "other" }
  /** Its client used its identifier for another payment before. */
  | { kind: "identifier_used" }
  | { kind: "unique_key_taken" };

/** The payment is not in the ledger, and writing it requires checked terms. */
export type UncheckedPayment = { kind: "unchecked" };

/** Thrown internally to repeat the transaction: a concurrent one wrote the same fact. */
class Collision extends Error {}

/** The presented payment and its presenter. Terms are present only with the proof that they were checked. */
type Presentation = PaymentName &
  Presenter & { checked: { terms: Readonly<PaymentTerms>; claim: PaymentClaim } | null };

const IS_KNOWN = statement({
  name: "payment-is-known",
  params: { facts: t.array(t.text) },
  text: "select from offchain.payment_fact where fact = any($facts) limit 1",
});

/**
 * Finds a payment by its name and continues from its stored state. Writes nothing of the presented data: that requires
 * checked terms (`presentPayment`).
 * @param leaseMs milliseconds until the lease expires without `renewLease`
 */
export async function resumePayment(
  db: pg.Pool,
  name: PaymentName,
  presenter: Presenter,
  leaseMs: number,
): Promise<PresentOutcome | UncheckedPayment> {
  if ((await IS_KNOWN.run(db, { facts: identifying(name) })) === 0) return { kind: "unchecked" };
  return transaction(db, (tx) => presentIn(tx, { ...name, ...presenter, checked: null }, leaseMs));
}

/**
 * Writes a checked payment, or finds it. In every case at most one request has the lease of a payment.
 * @param leaseMs milliseconds until the lease expires without `renewLease`
 */
export async function presentPayment(
  db: pg.Pool,
  checked: Checked<PaymentTerms>,
  claim: PaymentClaim,
  identifier: string | null,
  leaseMs: number,
): Promise<PresentOutcome> {
  if (!Checked.is(checked)) throw new Error("the terms of a payment were not checked");
  const { terms } = checked;
  const { facts, digest } = terms;
  const { by, wallet, fingerprint } = claim;
  const given: Presentation = { facts, digest, identifier, by, wallet, fingerprint, checked: { terms, claim } };
  for (let attempt = 0; ; attempt++) {
    try {
      const presented = await transaction(db, (tx) => presentIn(tx, given, leaseMs));
      if (presented.kind === "unchecked") throw new Error("checked terms cannot be unchecked");
      return presented;
    } catch (error) {
      // A concurrent request may have written the same payment: the next attempt finds it.
      if (isUniqueKeyTaken(error) && attempt > 0) return { kind: "unique_key_taken" };
      if (!(error instanceof Collision || isUniqueKeyTaken(error)) || attempt === 4) throw error;
    }
  }
}

const FIND = statement({
  name: "payment-find",
  params: { names: t.array(t.text), facts: t.array(t.text), identifier: t.nullable(t.text) },
  text: `
    select ${COLUMNS},
      coalesce(greatest(0, extract(epoch from lease_until - clock_timestamp())), 0)::float8 as "leaseSeconds",
      payment_id in (select payment_id from offchain.payment_fact where fact = any($facts)) as known,
      payment_id in (select payment_id from offchain.payment_fact where fact = $identifier) as named
    from offchain.payment where payment_id in (select payment_id from offchain.payment_fact where fact = any($names))
    order by payment_id for update`,
  columns: { ...PAYMENT_ROW, leaseSeconds: t.float8, known: t.bool, named: t.bool },
});

const LEASE = statement({
  name: "payment-lease",
  params: { paymentId: t.uuid, lease: t.uuid, leaseMs: t.float8 },
  text: `
    update offchain.payment set lease = $lease, lease_until = clock_timestamp() + $leaseMs * interval '1 ms'
    where payment_id = $paymentId`,
});

/**
 * Check then write: no row has the facts, then row and facts are inserted; the same fact may come at the same time: it
 * is unique and a collision starts over, five times at most; `payment_unique_key` is unique.
 * Resumes: at the beginning after a collision, five times, then with an error (a key of api/idempotency.ts: "in
 * progress").
 */
async function presentIn(
  tx: Queryable,
  given: Presentation,
  leaseMs: number,
): Promise<PresentOutcome | UncheckedPayment> {
  const rows = await FIND.rows(tx, { names: identifying(given), facts: given.facts, identifier: given.identifier });
  if (rows.length === 0) return writePayment(tx, null, given, leaseMs);
  if (!rows.every(({ known }) => known)) return { kind: "identifier_used" };
  if (rows.length > 1) return { kind: "other" };
  return presentFound(tx, rows[0]!, given, leaseMs);
}

/** Continues with the payment that has the name, or returns why this request may not. */
async function presentFound(
  tx: Queryable,
  { leaseSeconds, known: _, named, ...payment }: Row<typeof FIND>,
  given: Presentation,
  leaseMs: number,
): Promise<PresentOutcome | UncheckedPayment> {
  if (payment.state === "released" || takesOver(payment, given, leaseSeconds > 0))
    return writePayment(tx, payment, given, leaseMs);
  // The payment is a credit: the money is its payer's again.
  if (payment.state === "refund_due" && given.by === "payer") return { kind: "done", payment, named };
  if (payment.fingerprint !== given.fingerprint) return { kind: "other" };
  const very = isVery(payment, given);
  // A signed request proves its payer by its signature; a bearer has the credential only.
  const isDone = !["new", "settling", "paid"].includes(payment.state);
  if (!very && !(isDone && given.wallet !== null)) return { kind: "other" };
  const busy = { kind: "busy", retryAfterSeconds: Math.max(1, Math.ceil(leaseSeconds)) } as const;
  // Fulfilled a moment ago: its answer will be stored soon, and is given out once.
  if (isDone)
    return payment.state === "fulfilled" && !payment.answer && leaseSeconds > 0
      ? busy
      : { kind: "done", payment, named };
  if (leaseSeconds > 0) return busy;
  const leaseId = randomUUID();
  await LEASE.run(tx, { paymentId: payment.paymentId, lease: leaseId, leaseMs });
  return { kind: "leased", payment, leaseId };
}

/** All names that identify the payment. */
const identifying = ({ facts, identifier }: PaymentName) => (identifier === null ? facts : [...facts, identifier]);

/** Whether the presented credential equals the stored one, or is the hash of the stored transfer. */
function isVery(payment: Payment, given: Presentation): boolean {
  // Old rows have no digest: a request signed by its wallet resumes the stored payment.
  if (payment.digest === null ? given.wallet !== null : payment.digest === given.digest) return true;
  const at = given.checked?.terms.settlement;
  return at !== undefined && at.txHash === payment.txHash && at.nth === payment.nth;
}

/**
 * Whether the payer itself takes over a payment that is not paid yet from the claimant in the ledger: from a bearer
 * always, unless a settlement serves the bearer's claim; from its own request only when it shows the settlement.
 * @param busy whether the payment has a valid lease
 */
function takesOver(payment: Payment, given: Presentation, busy: boolean): boolean {
  if (given.by !== "payer" || (payment.state !== "new" && payment.state !== "settling")) return false;
  const own = payment.fingerprint === given.fingerprint;
  const settlement = given.checked?.terms.settlement;
  if (settlement) return own || (payment.presentedAt !== null && !serves(payment, settlement));
  if (payment.presentedAt === null || (own && busy)) return false;
  // Other terms with the same nonce: the stored ones may be settling.
  return payment.digest === given.digest || payment.state === "new";
}

const WRITTEN = columnsOf(ledger, {
  only: [
    ...(["paymentId", "method", "payer", "payee", "chainId", "asset", "amountUnits", "credential"] as const),
    ...(["validBefore", "digest", "operation", "wallet", "fingerprint", "uniqueKey", "effect"] as const),
    ...(["sinceBlock", "client", "lease"] as const),
  ],
});

const WRITE = statement({
  name: "payment-write",
  params: { ...WRITTEN, bearer: t.bool, presentedAt: t.nullable(t.timestamptz), leaseMs: t.float8 },
  // While its settlement may be under way its state stays "settling".
  text: `
    insert into offchain.payment as before (${t.namesOf(WRITTEN)}, presented_at, lease_until, state)
    values (${t.valuesOf(WRITTEN)},
      case when $bearer then coalesce($presentedAt, clock_timestamp()) end,
      clock_timestamp() + $leaseMs * interval '1 ms', 'new')
    on conflict (payment_id) do update set
      ${t.excludedOf(WRITTEN)}, presented_at = excluded.presented_at, lease_until = excluded.lease_until, reason = null,
      state = case before.state when 'settling' then 'settling' else 'new' end, updated_at = clock_timestamp()
    returning ${COLUMNS}`,
  columns: PAYMENT_ROW,
});

/**
 * Writes all checked terms, as a new payment or over one that is not paid. A released payment counts as new, also for
 * another request.
 */
async function writePayment(
  tx: Queryable,
  before: Payment | null,
  { checked, identifier }: Presentation,
  leaseMs: number,
): Promise<PresentOutcome | UncheckedPayment> {
  if (checked === null) return { kind: "unchecked" };
  const { terms, claim } = checked;
  // The time of a bearer's claim for one request proves nothing for another: its signature may be public since.
  const presentedAt =
    claim.by === "bearer" && before?.fingerprint === claim.fingerprint && before.digest === terms.digest
      ? before.presentedAt
      : null;
  const paymentId = before?.paymentId ?? randomUUID();
  const leaseId = randomUUID();
  const payment = await WRITE.one(tx, {
    ...terms,
    ...claim,
    paymentId,
    sinceBlock: presentedAt ? Math.min(before!.sinceBlock, claim.sinceBlock) : claim.sinceBlock,
    lease: leaseId,
    bearer: claim.by === "bearer",
    presentedAt,
    leaseMs,
  });
  await ownFacts(tx, paymentId, identifier === null ? terms.facts : [...terms.facts, identifier]);
  if (!terms.settlement) return { kind: "leased", payment, leaseId };
  const paid = await move(tx, { paymentId, leaseId }, "paid", ["new", "settling"], settled(terms.settlement));
  return { kind: "leased", payment: paid!, leaseId };
}

const ADD_FACTS = statement({
  name: "payment-facts-add",
  params: { facts: t.array(t.text), paymentId: t.uuid },
  text: `
    insert into offchain.payment_fact (fact, payment_id) select unnest($facts::text[]), $paymentId
    on conflict (fact) do nothing`,
});
const COUNT_FACTS = statement({
  name: "payment-facts-count",
  params: { facts: t.array(t.text), paymentId: t.uuid },
  text: `
    select count(*)::int4 as own from offchain.payment_fact
    where fact = any($facts) and payment_id = $paymentId`,
  columns: { own: t.int4 },
});

/** Assigns facts to a payment. @throws Collision when a concurrent transaction assigned one to another payment */
async function ownFacts(tx: Queryable, paymentId: string, facts: string[]): Promise<void> {
  await ADD_FACTS.run(tx, { facts, paymentId });
  if ((await COUNT_FACTS.one(tx, { facts, paymentId })).own !== facts.length) throw new Collision();
}
