/** Collects the payment of a request: by the payment method that it was brought by, or a credit; and continues with one that the ledger knows. */
import type { Address } from "../core/agents/facts.ts";
import { Failure, fail } from "../core/errors.ts";
import type { Refusal } from "../core/payments/refusals.ts";
import { type Lease, spendCredit } from "../db/payments/ledger.ts";
import { dropLease, renewLease, takeUp } from "../db/payments/payment-leases.ts";
import {
  creditsOf,
  digestOf,
  type Payment,
  type PaymentTerms,
  type Presenter,
  paidPaymentsOf,
  type StoredReply,
} from "../db/payments/payments.ts";
import { type PresentOutcome, presentPayment, resumePayment } from "../db/payments/present-payment.ts";
import type { OpenCheckout, Sales, SettleOptions } from "./checkout.ts";
import type { AskingRequest } from "./methods/method.ts";
import { methodOf } from "./methods.ts";
import { bringIn, isThere } from "./settle.ts";

/**
 * A payment that the ledger knows by its name is resumed; any other is written only with terms that its payment method has
 * checked.
 * @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress; ReplayedAnswer
 */
export async function collectPayment(checkout: OpenCheckout, options: SettleOptions): Promise<CollectedPayment> {
  const { given, sales } = checkout;
  const { db } = sales.settlement;
  if (given === null) return (await collectCredit(checkout, options)) ?? refuse(checkout);
  const presented = await given.method.present(sales.settlement, given.credential, askingOf(checkout));
  if (typeof presented === "string") return refuse(checkout, presented);
  const { by, name } = presented;
  if (name !== null) {
    const known = await resumePayment(db, name, presenter(checkout, by), LEASE_MS);
    if (known.kind !== "unchecked") return resume(checkout, known, options);
  }
  const result = await presented.check();
  if ("reason" in result) return refuse(checkout, result.reason, result.retryAfter);
  for (const { checked, sinceBlock, client } of result) {
    const claim = {
      ...presenter(checkout, by),
      sinceBlock,
      client,
      operation: checkout.request.operation,
      uniqueKey: options.uniqueKey ?? null,
      effect: options.effect ?? null,
    };
    const outcome = await presentPayment(db, checked, claim, name?.identifier ?? null, LEASE_MS);
    if (outcome.kind !== "other") return resume(checkout, outcome, options);
  }
  return alreadyUsed();
}

const askingOf = (checkout: OpenCheckout): AskingRequest => ({
  ...checkout.request,
  terms: checkout.terms!,
  binding: checkout.binding,
  optionalSignIn: () => optionalSignIn(checkout),
  clientOf: (presented) => clientOf(checkout, presented),
});

/** A payment whose money is there; `lease` is null for one that was fulfilled before. */
type CollectedPayment = { payment: Payment; lease: Lease | null };

/** Thrown where the same payment has bought the same request's answer before: that answer is given again. */
export class ReplayedAnswer extends Error {
  readonly payment: Payment;
  readonly reply: StoredReply;
  constructor(payment: Payment, reply: StoredReply) {
    super("answered before");
    this.payment = payment;
    this.reply = reply;
  }
}

/** @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress; ReplayedAnswer */
async function resume(
  checkout: OpenCheckout,
  presented: PresentOutcome,
  options: SettleOptions,
): Promise<CollectedPayment> {
  switch (presented.kind) {
    case "leased":
      return settleUnderLease(checkout, presented);
    case "done":
      return resumeDone(checkout, presented, options);
    case "other":
      return alreadyUsed();
    case "identifier_used":
      return fail(
        "payment_already_used",
        "This payment identifier is the name of another payment. Nothing was charged.",
        { hint: "Give a new payment a new identifier, or repeat the other payment unchanged." },
      );
    case "busy":
      return inProgress(presented.retryAfterSeconds);
    case "unique_key_taken":
      return inProgress(2);
  }
}

async function settleUnderLease(checkout: OpenCheckout, lease: Lease): Promise<CollectedPayment> {
  const { sales, terms } = checkout;
  const { description, serviceName, declaration } = terms!.resource;
  const declared = { description, serviceName, extensions: { bazaar: declaration.extension } };
  const result = await withLease(sales, lease, () =>
    bringIn(sales.settlement, lease, sales.config.payments.waitMs, declared),
  );
  if (result.kind === "paid") return { payment: result.payment, lease: { ...lease, payment: result.payment } };
  if (result.kind === "refused") refuse(checkout, result.reason);
  const who = { paymentId: lease.payment.paymentId, leaseId: lease.leaseId };
  // A lease that cannot be given back expires by itself.
  await dropLease(sales.settlement.db, who).catch(() => {});
  return fail("payment_pending", "It is not known yet whether the payment was settled.", {
    hint: "Repeat the request with the same payment; a new one could be charged as well.",
    retryAfter: 5,
    cause: result.cause,
  });
}

/** Milliseconds in which an answer bought without a wallet is given again to a client that lost it. */
const REPLAY_MS = 600_000;

/** A payment that this very request has used up before, or that is its payer's credit. */
async function resumeDone(
  checkout: OpenCheckout,
  { payment, named }: Extract<PresentOutcome, { kind: "done" }>,
  options: SettleOptions,
): Promise<CollectedPayment> {
  // Without what it bought, a lost payment was a credit: nothing was given for it, and there is no money.
  if (payment.state === "fulfilled" || (payment.state === "lost" && payment.bought !== null)) {
    if (!(await mayReplay(checkout, payment, named)))
      return fail("payment_already_used", "What this payment has bought was given out. Nothing was charged.", {
        hint: "To have it once more, repeat the request signed in with the wallet that paid (SIWA or SIWE).",
      });
    if (payment.answer) throw new ReplayedAnswer(payment, payment.answer);
    return { payment, lease: null };
  }
  if (payment.state === "refund_due") {
    const credit = await spendOwnCredit(checkout, options);
    if (credit) return credit;
  }
  return alreadyUsed();
}

/**
 * Whether the answer that a payment bought is given to its request again. After the settlement anyone can read an
 * authorization on the chain, so a bearer has to show more: the payer's sign-in, or for ten minutes the identifier that
 * the payer gave to the payment, or the network that it paid from.
 * @param named the payment was presented by its identifier, too
 */
async function mayReplay(checkout: OpenCheckout, payment: Payment, named: boolean): Promise<boolean> {
  const { request, given, sales } = checkout;
  const isPublic = given?.method.isPublic && methodOf(sales.settlement, payment)?.isPublic !== false;
  // Only the same wallet signs the same request, only its client knows a challenge, and a hash needs its payer's sign-in.
  if (request.wallet !== null || !isPublic) return true;
  if ((await optionalSignIn(checkout)) === payment.payer) return true;
  if (request.now - (payment.paidAt?.getTime() ?? 0) > REPLAY_MS || payment.digest === null) return false;
  return named || payment.client === clientOf(checkout, { digest: payment.digest });
}

type SpentCredit = { payment: Payment; lease: Lease };

/**
 * This request's own payment that a crash has left, or a credit of the wallet; null without either.
 * Check then write: the row is `paid` by this request, then `takeUp`; it may become a credit, or be taken up: the lease
 * is taken by guarded update, and state and fingerprint are compared again.
 */
async function collectCredit(checkout: OpenCheckout, options: SettleOptions): Promise<SpentCredit | null> {
  const { wallet, fingerprint } = checkout.request;
  const { db } = checkout.sales.settlement;
  if (!wallet) return spendOwnCredit(checkout, options);
  const left = await paidPaymentsOf(db, { wallet, fingerprint });
  for (const { paymentId } of left) {
    const lease = await takeUp(db, paymentId, LEASE_MS);
    // Since it was read it may have become a credit and been spent on another request.
    if (lease?.payment.state === "paid" && lease.payment.fingerprint === fingerprint)
      return { payment: lease.payment, lease };
    if (lease) await dropLease(db, { paymentId, leaseId: lease.leaseId });
    return inProgress(2);
  }
  return spendOwnCredit(checkout, options);
}

/**
 * Spends a credit of the wallet that signed in, of an amount accepted as the price; null without one.
 * Check then write: the credit's transfer is in the chain, then `spendCredit`; it may be spent, moved or lost: guarded
 * update on state, block hash, payee and amount; `payment_unique_key` is unique.
 */
async function spendOwnCredit(
  checkout: OpenCheckout,
  { uniqueKey, effect }: SettleOptions,
): Promise<SpentCredit | null> {
  const { operation, fingerprint } = checkout.request;
  const { payTo, honoured } = checkout.terms!;
  const { settlement } = checkout.sales;
  const wallet = checkout.request.wallet ?? (await optionalSignIn(checkout));
  if (!wallet) return null;
  const claim = { operation, fingerprint, uniqueKey: uniqueKey ?? null, effect: effect ?? null };
  for (const credit of await creditsOf(settlement.db, { wallet, payee: payTo, amounts: honoured })) {
    if (!(await isThere(settlement, credit))) continue;
    const spent = await spendCredit(settlement.db, credit, claim, LEASE_MS);
    if (spent === "unique_key_taken") return inProgress(2);
    // Another request may have spent it during the check on the chain.
    if (spent) return { payment: spent.payment, lease: spent };
  }
  return null;
}

/** Milliseconds a lease lasts without renewal; a retry after a crash waits at most this long. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;

/** Renews a payment's lease while `work` runs. */
async function withLease<T>(sales: Sales, lease: Lease, work: () => Promise<T>): Promise<T> {
  const release = keepLease(sales, lease);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Renews a payment's lease until the function it returns is called. */
export function keepLease({ settlement: { db } }: Sales, { payment, leaseId }: Lease): () => void {
  const who = { paymentId: payment.paymentId, leaseId };
  const timer = setInterval(() => void renewLease(db, who, LEASE_MS).catch(() => {}), RENEW_MS);
  return () => clearInterval(timer);
}

/** Who presents a payment, and for which request. */
const presenter = ({ request: { wallet, fingerprint } }: OpenCheckout, by: Presenter["by"]): Presenter => ({
  by,
  wallet,
  fingerprint,
});

/** Identifies the network that a request came from, by a digest: the address itself must not be stored. */
const clientOf = ({ request }: OpenCheckout, { digest }: Pick<PaymentTerms, "digest">): string =>
  digestOf(digest, request.client);

/**
 * @throws Failure payment_required
 * @param reason what is wrong with the payment; null without a payment @param retryAfter seconds, where they are known
 */
function refuse(checkout: Pick<OpenCheckout, "refusal">, reason: Refusal | null = null, retryAfter?: number): never {
  throw checkout.refusal(reason, retryAfter);
}

/** @throws Failure payment_already_used */
function alreadyUsed(): never {
  return fail("payment_already_used", "This payment has been used for another request. Nothing was charged.", {
    hint: "Ask again without it and pay anew.",
  });
}

/** @throws Failure request_in_progress. @param retryAfter seconds */
function inProgress(retryAfter: number): never {
  return fail("request_in_progress", "A request with this payment, or for the same thing, is being worked on.", {
    hint: "Repeat the request with the same payment.",
    retryAfter,
  });
}

/** The wallet that signed the request: only itself spends its credits. A bad credential counts as none. */
async function optionalSignIn({ request }: Pick<OpenCheckout, "request">): Promise<Address | null> {
  try {
    return await request.signedIn();
  } catch (error) {
    if (error instanceof Failure && error.status < 500 && error.code !== "rate_limited") return null;
    throw error;
  }
}
