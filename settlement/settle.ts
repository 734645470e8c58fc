/** Settles a payment: requests it from the facilitator, trusts the chain alone, and stores each step so that any process can continue. */
import type pg from "pg";
import type { Chain, Facilitator, Mpp, PaymentOrder } from "../clients/ports.ts";
import type { Hex } from "../core/agents/facts.ts";
import {
  type Authorization,
  type SignedPayment,
  type TokenDomain,
  transferData,
} from "../core/payments/authorization.ts";
import { type Refusal, reasonIn } from "../core/payments/refusals.ts";
import { MAX_TIMEOUT_SECONDS } from "../core/payments/terms.ts";
import { SETTLEMENT_GAS } from "../core/transactions/gas-bounds.ts";
import { recordEarly } from "../db/payments/early-payments.ts";
import { beginSettling, type Lease, recordPaid, releasePayment } from "../db/payments/ledger.ts";
import type { Payment } from "../db/payments/payments.ts";
import type { Fault } from "../runtime/faults.ts";
import { type Evidence, findSettlement, placeNow, type Search } from "./evidence.ts";
import { findMppSettlement, sendMppTransaction } from "./mpp.ts";
import type { SettlementOutcome } from "./outcome.ts";

export type SettlementParts = {
  db: pg.Pool;
  chain: Chain;
  /** Null where nothing requests a settlement: then only transfers that are on the chain count. */
  facilitator: Facilitator | null;
  /** Null where MPP is not offered. */
  mpp: Mpp | null;
  /** True where the money may be searched for, but not moved. */
  onlyLooks?: boolean;
  /** Of USDC on this chain. */
  domain: TokenDomain;
  confirmations: number;
  /** Units of USDC that may be sold for with fewer confirmations, or on a preconfirmation; 0n = none. */
  earlyUnits: bigint;
  fault: Fault;
};

/** Places where a crash test kills the process, in the order a payment passes them. */
export const PAYMENT_FAULT_POINTS = ["payment.settling", "payment.settled", "payment.paid"] as const;

export type BroughtIn =
  | { kind: "paid"; payment: Payment }
  | { kind: "refused"; reason: Refusal }
  /** Not known yet: a retry with the same payment finds the outcome. */
  | { kind: "pending"; cause: unknown };

/** The ledger's record of a signed payment. Integers are strings, because JSON has no bigint. */
export type Credential = {
  signature: Hex;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
  resourceUrl: string;
};

export const toCredential = ({ authorization, signature }: SignedPayment, resourceUrl: string): Credential => ({
  signature,
  validAfter: String(authorization.validAfter),
  validBefore: String(authorization.validBefore),
  nonce: authorization.nonce,
  resourceUrl,
});

/** The authorization of a payment that is in the ledger, or that will be written there. */
export function authorizationOf({
  payer,
  payee,
  amountUnits,
  credential,
}: Pick<Payment, "payer" | "payee" | "amountUnits" | "credential">): Authorization {
  const { validAfter, validBefore, nonce } = credential as Credential;
  return {
    from: payer,
    to: payee,
    value: amountUnits,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  };
}

const LOOK_MS = 200;
/** Milliseconds after an order in which the service's own node may not show its result yet: it lags, or is reorganising. */
const ORDER_GRACE_MS = 60_000;

/** The evidence for a payment on its chain. @throws Failure upstream_unavailable; Error when its chain is not configured */
export function lookFor(parts: SettlementParts, payment: Payment, search?: Search): Promise<Evidence> {
  const chain = chainOf(parts, payment);
  if (payment.method === "mpp") return findMppSettlement(mppOf(parts), payment);
  const { nonce } = authorizationOf(payment);
  return findSettlement(chain, { ...payment, nonce }, payment, parts.confirmations, search);
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

type Chains = Pick<SettlementParts, "chain" | "mpp">;

/** The chain a payment's money moves on. @throws Error when it is not configured */
export function chainOf(parts: Chains, { chainId }: Pick<Payment, "chainId">): Chain {
  const chain = configuredChains(parts).find(({ id }) => id === chainId);
  if (chain) return chain;
  throw new Error(`chain ${chainId} is not configured`);
}

/** The chains on which payments can be found. */
export const configuredChains = ({ chain, mpp }: Chains): Chain[] => (mpp ? [chain, mpp.chain] : [chain]);

function mppOf({ mpp }: Pick<SettlementParts, "mpp">): Mpp {
  if (mpp) return mpp;
  throw new Error("MPP is not configured");
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
    const known = await decide(evidence);
    if (known) return known;
    // Used before the request presented it: the signature is public since then and proves nothing.
    if (evidence.kind === "unseen" && payment.state === "new") return refuse("authorization_used");

    let word: Refusal | null = null;
    let hint: Hex | undefined;
    let claim = payment;
    if (evidence.kind === "unused") {
      const asked = await ask(parts, lease, declared);
      if (asked.kind === "refused" && !asked.broadcast) return refuse(asked.reason);
      if (asked.kind === "refused") word = asked.reason;
      if (asked.kind === "settled") hint = asked.txHash;
      if (asked.kind === "unknown" && !asked.broadcast) return { kind: "pending", cause: asked.cause };
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
  if (lease.payment.method !== "mpp") return askFacilitator(parts, lease, declared);
  return sendMppTransaction(mppOf(parts), lease.payment, () => begin(parts, lease));
}

/** Records that from now on the money may move. @returns false when the payment was taken over */
async function begin({ db, fault }: SettlementParts, { payment, leaseId }: Lease): Promise<boolean> {
  if (payment.state === "new" && !(await beginSettling(db, { paymentId: payment.paymentId, leaseId }))) return false;
  fault("payment.settling");
  return true;
}

/** Requests the check and then the settlement from the facilitator. */
async function askFacilitator(
  parts: SettlementParts,
  lease: Lease,
  declared: PaymentOrder["declared"],
): Promise<SettlementOutcome> {
  const { facilitator, domain } = parts;
  const { payment } = lease;
  if (!facilitator) return { kind: "unknown", cause: new Error("there is no facilitator"), broadcast: false };
  const { signature, resourceUrl } = payment.credential as Credential;
  const order: PaymentOrder = {
    authorization: authorizationOf(payment),
    signature,
    token: { address: payment.asset, name: domain.name, version: domain.version, chainId: payment.chainId },
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    resourceUrl,
    declared,
  };
  if (payment.state === "new") {
    const refused = await verify(parts, facilitator, order);
    if (refused) return refused;
  }
  if (!(await begin(parts, lease)))
    return { kind: "unknown", cause: new Error("the payment was taken over"), broadcast: false };
  const outcome = await facilitator.settle(order);
  if (outcome.kind === "settled") return outcome;
  if (outcome.kind !== "refused") return { ...outcome, broadcast: true };
  const cause = await causeOf(parts, order, outcome.reason);
  if (cause === "trouble") return { kind: "unknown", cause: new Error(`refused: ${outcome.reason}`), broadcast: true };
  const reason = cause === "none" ? "not_settled" : cause;
  // A used authorization or an empty account may result from a settlement, by an earlier order or a front-runner.
  const mayBeSettled = payment.state === "new" ? reason === "authorization_used" : payment.restedMs < ORDER_GRACE_MS;
  if (mayBeSettled) return { kind: "unknown", cause: new Error(`refused: ${outcome.reason}`), broadcast: true };
  return { kind: "refused", reason, broadcast: true };
}

/** Milliseconds for which an authorization that has begun may wait for a block that is younger than its beginning. */
const BEGINS_MS = 4_000;

/** Asks the facilitator whether it would settle. @returns what it, or the token, has against it; null for nothing */
async function verify(
  parts: SettlementParts,
  facilitator: Facilitator,
  order: PaymentOrder,
): Promise<SettlementOutcome | null> {
  const deadline = performance.now() + BEGINS_MS;
  // Between the facilitator's look and ours a block may have come: once it is asked again for that.
  let isPuzzling = false;
  for (;;) {
    const verdict = await facilitator.verify(order);
    if (verdict.kind === "good") return null;
    if (verdict.kind === "unknown") return { ...verdict, broadcast: false };
    const cause = await causeOf(parts, order, verdict.reason);
    if (cause === "trouble")
      return { kind: "unknown", cause: new Error(`the facilitator says ${verdict.reason}`), broadcast: false };
    // By our clock it has begun: the token reads that of the newest block, which is some seconds behind.
    const mayChange = cause === "not_yet_valid" || (cause === "none" && !isPuzzling);
    isPuzzling ||= cause === "none";
    if (!mayChange || performance.now() >= deadline)
      return { kind: "refused", reason: cause === "none" ? "not_settled" : cause, broadcast: false };
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/**
 * Why an order was refused: what the facilitator says, and where that names no cause, what the token itself says now.
 * @param said untrusted
 * @returns "none" where the token would take it
 */
async function causeOf(
  { chain }: SettlementParts,
  { authorization, signature, token }: PaymentOrder,
  said: string,
): Promise<Refusal | "trouble" | "none"> {
  const named = reasonIn(said);
  if (named !== null) return named;
  const data = transferData(authorization, signature);
  const tried = await chain.call({ to: token.address, data, gas: SETTLEMENT_GAS });
  if (tried.ok) return "none";
  const found = reasonIn(`${tried.reason} ${tried.data ?? ""}`);
  return found === null || found === "trouble" ? "not_settled" : found;
}
