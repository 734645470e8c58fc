/** Asks the facilitator to settle a signed payment, and finds out what a refusal means: its word alone decides nothing. */
import type { Facilitator, PaymentOrder } from "../clients/ports.ts";
import { transferData } from "../core/payments/authorization.ts";
import { type Refusal, reasonIn } from "../core/payments/refusals.ts";
import { MAX_TIMEOUT_SECONDS } from "../core/payments/terms.ts";
import { SETTLEMENT_GAS } from "../core/transactions/gas-bounds.ts";
import type { Payment } from "../db/payments/payments.ts";
import type { SettlementParts } from "./methods/method.ts";
import type { SettlementOutcome } from "./outcome.ts";
import { authorizationOf, type Credential } from "./signed-credential.ts";

type FacilitatorParts = Pick<SettlementParts, "chain" | "facilitator" | "domain">;

const LOOK_MS = 200;
/** Milliseconds after an order in which the service's own node may not show its result yet: it lags, or is reorganising. */
const ORDER_GRACE_MS = 60_000;

/**
 * Requests the check and then the settlement from the facilitator.
 * @param begin records that from now on the money may move; false when the payment was taken over
 */
export async function askFacilitator(
  parts: FacilitatorParts,
  payment: Payment,
  { begin, declared }: { begin(): Promise<boolean>; declared: PaymentOrder["declared"] },
): Promise<SettlementOutcome> {
  const { facilitator, domain } = parts;
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
  if (!(await begin())) return { kind: "unknown", cause: new Error("the payment was taken over"), broadcast: false };
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
  parts: FacilitatorParts,
  facilitator: Facilitator,
  order: PaymentOrder,
): Promise<SettlementOutcome | null> {
  const deadline = performance.now() + BEGINS_MS;
  // A block may have come between the facilitator's check and ours, so it is asked once more.
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
  { chain }: FacilitatorParts,
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
