/** Settles a payment: its payment method requests it, the chain alone is trusted, and each step is stored so that any process can continue. */
import type { Chain, PaymentOrder } from "../clients/ports.ts";
import type { Hex } from "../core/agents/facts.ts";
import type { Refusal } from "../core/payments/refusals.ts";
import { recordEarly } from "../db/payments/early-payments.ts";
import { beginSettling, type Lease, recordPaid, releasePayment } from "../db/payments/ledger.ts";
import type { Payment } from "../db/payments/payments.ts";
import { type Evidence, placeNow, type Search } from "./evidence.ts";
import type { PaymentMethod, SettlementOutcome, SettlementParts } from "./methods/method.ts";
import { methodOf } from "./methods.ts";

/** Places where a crash test kills the process, in the order a payment passes them. */
export const PAYMENT_FAULT_POINTS = ["payment.settling", "payment.settled", "payment.paid"] as const;

export type BroughtIn =
  | { kind: "paid"; payment: Payment }
  | { kind: "refused"; reason: Refusal }
  /** Not known yet: a retry with the same payment finds the outcome. */
  | { kind: "pending"; cause: unknown };

const LOOK_MS = 200;

/**
 * The evidence for a payment on its chain.
 * @throws Failure upstream_unavailable; Error when its chain or its payment method is not configured
 */
export async function lookFor(parts: SettlementParts, payment: Payment, search?: Search): Promise<Evidence> {
  const chain = chainOf(parts, payment);
  return knownMethod(parts, payment).find(parts, chain, payment, search);
}

/**
 * Whether the money of a payment that counted as paid is still in the chain.
 * @returns false also where its chain is not configured any more and its transfer is not final
 * @throws Failure upstream_unavailable
 */
export async function isThere(parts: SettlementParts, payment: Payment): Promise<boolean> {
  const { txHash, nth, finalAt, chainId } = payment;
  if (finalAt !== null) return true;
  const chain = configuredChains(parts).find(({ id }) => id === chainId);
  if (!chain || txHash === null || nth === null) return false;
  return (await placeNow(chain, { ...payment, txHash, nth })) !== null;
}

/** The chain a payment's money moves on. @throws Error when it is not configured */
export function chainOf(parts: SettlementParts, { chainId }: Pick<Payment, "chainId">): Chain {
  const chain = configuredChains(parts).find(({ id }) => id === chainId);
  if (chain) return chain;
  throw new Error(`chain ${chainId} is not configured`);
}

/** The chains on which payments can be found: those of the payment methods. */
export const configuredChains = (parts: SettlementParts): Chain[] => [
  ...new Set(parts.methods.flatMap((method) => method.chain(parts) ?? [])),
];

function knownMethod(parts: SettlementParts, payment: Payment): PaymentMethod {
  const method = methodOf(parts, payment);
  if (method) return method;
  throw new Error(`payments by ${payment.method} are not known`);
}

/**
 * Settles a payment under its lease, from the state in which an earlier attempt left it.
 * Check then write: what chain and facilitator say, then `beginSettling`, `recordPaid` or `releasePayment`; another
 * process may take over or record another outcome: each names lease and the states it may come from
 * (core/payments/states.ts), and a transfer has one owner (its fact is unique).
 * @param maxWaitMs max milliseconds to wait for an open outcome
 * @param declared description of the paid resource, for facilitators that list it
 */
export async function bringIn(
  parts: SettlementParts,
  lease: Lease,
  maxWaitMs: number,
  declared?: PaymentOrder["declared"],
): Promise<BroughtIn> {
  const { payment, leaseId } = lease;
  const who = { paymentId: payment.paymentId, leaseId };
  const deadline = performance.now() + maxWaitMs;

  async function refuse(reason: Refusal): Promise<BroughtIn> {
    if (await releasePayment(parts.db, who, reason)) return { kind: "refused", reason };
    return { kind: "pending", cause: new Error("the payment was taken over") };
  }

  /** The result that the evidence alone decides; null while it decides nothing. */
  async function decide(evidence: Evidence): Promise<BroughtIn | null> {
    if (evidence.kind === "spent") return refuse(evidence.reason);
    const early =
      evidence.kind === "shallow" && parts.earlyUnits > 0n && evidence.early?.serves ? evidence.early : null;
    if (evidence.kind !== "settled" && early === null) return null;
    if (evidence.kind === "settled" && !evidence.serves) return refuse("authorization_used");
    parts.fault("payment.settled");
    const paid =
      evidence.kind === "settled"
        ? await recordPaid(parts.db, who, payment, evidence.settlement)
        : await recordEarly(parts.db, lease, early!.settlement, parts.earlyUnits);
    if (paid === "over") return null;
    parts.fault("payment.paid");
    return paid ? { kind: "paid", payment: paid } : { kind: "pending", cause: new Error("the payment was taken over") };
  }

  if (payment.state === "paid") return { kind: "paid", payment };
  try {
    let evidence = await lookFor(parts, payment);
    const decision = await decide(evidence);
    if (decision) return decision;
    // Used before the request presented it: the signature is public since then and proves nothing.
    if (evidence.kind === "unseen" && payment.state === "new") return refuse("authorization_used");

    let word: Refusal | null = null;
    let hint: Hex | undefined;
    let claim = payment;
    if (evidence.kind === "unused") {
      const outcome = await ask(parts, lease, declared);
      if (outcome.kind === "refused" && !outcome.broadcast) return refuse(outcome.reason);
      if (outcome.kind === "refused") word = outcome.reason;
      if (outcome.kind === "settled") hint = outcome.txHash;
      if (outcome.kind === "unknown" && !outcome.broadcast) return { kind: "pending", cause: outcome.cause };
      claim = { ...payment, state: "settling" };
    }
    for (;;) {
      // What the order caused is above the claim's block; a retry searches the blocks below again.
      evidence = await lookFor(parts, claim, { hint, moved: false });
      const decided = await decide(evidence);
      if (decided) return decided;
      // The facilitator says that it has sent nothing, and the chain shows nothing.
      if (word && evidence.kind === "unused") return refuse(word);
      if (performance.now() >= deadline) return { kind: "pending", cause: new Error("the settlement is still open") };
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  } catch (cause) {
    return { kind: "pending", cause };
  }
}

async function ask(
  parts: SettlementParts,
  lease: Lease,
  declared: PaymentOrder["declared"],
): Promise<SettlementOutcome> {
  if (parts.onlyLooks) return { kind: "unknown", cause: new Error("it is only looked for"), broadcast: false };
  const order = { begin: () => begin(parts, lease), declared };
  return knownMethod(parts, lease.payment).settle(parts, lease.payment, order);
}

/** Records that from now on the money may move. @returns false when the payment was taken over */
async function begin({ db, fault }: SettlementParts, { payment, leaseId }: Lease): Promise<boolean> {
  if (payment.state === "new" && !(await beginSettling(db, { paymentId: payment.paymentId, leaseId }))) return false;
  fault("payment.settling");
  return true;
}
