/** Payments by a signed authorization (x402): terms, time and signature are checked before the ledger takes them. */

import type { Facilitator, PaymentOrder } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import type { Hex } from "../../core/agents/facts.ts";
import {
  type Authorization,
  readVersion1,
  readVersion2,
  type SignedPayment,
  transferData,
} from "../../core/payments/authorization.ts";
import { Checked } from "../../core/payments/checked.ts";
import { readIdentifier } from "../../core/payments/payment-identifier.ts";
import { type Refusal, reasonIn } from "../../core/payments/refusals.ts";
import {
  MAX_TIMEOUT_SECONDS,
  mismatch,
  optionVersion1,
  outOfTime,
  requiredVersion2,
} from "../../core/payments/terms.ts";
import { isTransactionHash } from "../../core/payments/transfers.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { SETTLEMENT_GAS } from "../../core/transactions/gas-bounds.ts";
import {
  authorizationFact,
  digestOf,
  identifierFact,
  type Payment,
  type PaymentTerms,
} from "../../db/payments/payments.ts";
import { findSettlement } from "../evidence.ts";
import {
  type AskingRequest,
  base64,
  type PaymentMethod,
  paymentResponse,
  refuseHeader,
  type SalesParts,
  type SentValue,
  type SettlementOutcome,
  type SettlementParts,
} from "./method.ts";

/** `identifier` is the client's name for the payment. */
type GivenAuthorization = SignedPayment & { identifier: string | null };

/** Blocks back from now in which the payer itself may have used the authorization; about an hour on Base. */
const OWN_BLOCKS = 1_800;
/** With either alphabet (RFC 4648, sections 4 and 5). */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const FORM = "must be base64 of JSON, or a transaction hash";

/** A signed authorization, which the facilitator settles. */
export const x402: PaymentMethod<GivenAuthorization> = {
  key: "x402",
  wire: {
    kind: "value",
    headers: [
      {
        name: "PAYMENT-SIGNATURE",
        description: "Payment payload of x402 version 2, base64 of JSON, or a transaction's hash",
      },
      { name: "X-PAYMENT", description: "Payment payload of x402 version 1, base64 of JSON, or a transaction's hash" },
    ],
    // All values but hashes: `read` reports what is wrong with one.
    isOwn: (value) => !isTransactionHash(value),
    form: FORM,
  },
  security: "Payment by x402, where there is a price: the 402 answer has the terms.",
  isPublic: true,

  /** Version 2 in a header, version 1 in the body; a client reads the one it knows. */
  option({ facilitator }, { terms, error, binding }) {
    if (!facilitator) return null;
    const first = optionVersion1(terms);
    return {
      headers: {
        "payment-required": base64(requiredVersion2(terms, error, binding && { digest: binding.bodyDigest })),
      },
      body: { x402Version: 1, accepts: first ? [first] : [] },
    };
  },

  read(values) {
    const [first] = values;
    if (values.some(({ value }) => value !== first.value))
      refuseHeader(first.name, "must be the only payment of the request");
    return readSigned(first);
  },

  payer: ({ authorization }) => authorization.from,

  nameOf: ({ authorization: { from, nonce } }, { domain }) =>
    authorizationFact(domain.chainId, domain.verifyingContract, from, nonce),

  async present(parts, brought, request) {
    const given = { ...brought, signature: parts.wholeSignature(brought) };
    const { from } = given.authorization;
    const signer = request.wallet ?? (await request.optionalSignIn());
    const by = signer === from ? "payer" : "bearer";
    const terms = signedTerms(request, given);
    const identifier = given.identifier === null ? null : identifierFact(from, given.identifier);
    return {
      by,
      name: { facts: terms.facts, digest: terms.digest, identifier },
      async check() {
        const checked = await Checked.of(terms, (written) => refusalOf(parts, request, given, written));
        if (typeof checked === "string")
          return { reason: checked, retryAfter: secondsUntil(checked, given, request.now) };
        const head = await parts.chain.headBlock();
        // Anyone but the payer must have shown it before it was settled: in the newest block it is public already.
        const sinceBlock = by === "payer" ? Math.max(0, head - OWN_BLOCKS) : head + 1;
        return [{ checked, sinceBlock, client: request.clientOf(terms) }];
      },
    };
  },

  chain: ({ chain }) => chain,

  find(parts, chain, payment, search) {
    const { nonce } = authorizationOf(payment);
    return findSettlement(chain, { ...payment, nonce }, payment, parts.confirmations, search);
  },

  settle: askFacilitator,

  receipt: (_parts, paid) => paymentResponse(paid),

  protocol: ({ facilitator }) => (facilitator ? { x402: {} } : null),

  listing: ({ facilitator, domain }) => ({
    protocol: "x402",
    status: facilitator ? "available" : "planned",
    chain: domain.chainId,
    currency: "USDC",
    asset: checksum(domain.verifyingContract),
  }),
};

/** The payload decides its version, not the name of the header: clients send both versions in both headers. */
function readSigned({ name, value }: SentValue): GivenAuthorization {
  const json = payloadOf(name, value);
  const version = (json as { x402Version?: unknown } | null)?.x402Version;
  if (version !== 1 && version !== 2) return refuseHeader(name, "must have an x402Version of 1 or 2");
  const read = version === 2 ? readVersion2(json) : readVersion1(json);
  if (typeof read === "string")
    return refuseHeader(
      name,
      `must be a payment payload of x402 version ${version} for the scheme "exact": ${read} is missing or not of its form`,
    );
  const identifier = version === 2 ? readIdentifier(json) : null;
  if (identifier === undefined)
    return refuseHeader(name, "must have a payment-identifier of 16 to 128 letters, digits, - and _, or none");
  return { ...read, identifier };
}

function payloadOf(name: string, value: string): unknown {
  if (!BASE64.test(value)) return refuseHeader(name, FORM);
  try {
    return parseStrictJson(Buffer.from(value, "base64"));
  } catch (error) {
    return refuseHeader(name, FORM, error);
  }
}

function signedTerms({ terms: { domain, resource } }: AskingRequest, given: SignedPayment): PaymentTerms {
  const { authorization, signature } = given;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { chainId, verifyingContract: asset } = domain;
  return {
    method: "x402",
    chainId,
    asset,
    payer: from,
    payee: to,
    amountUnits: value,
    credential: toCredential(given, resource.url),
    validBefore: dateOf(validBefore),
    facts: [authorizationFact(chainId, asset, from, nonce)],
    digest: digestOf("x402", chainId, asset, from, to, value, validAfter, validBefore, nonce, signature),
  };
}

/**
 * Why the terms to be written cannot be accepted: wrong amount or payee, out of time, not signed by the payer; null if none.
 * Check then write: terms, time and signature, then `presentPayment`; the row, its state and the chain may change
 * between: only frozen `Checked` terms are written, in one statement, and the ledger checks again under a row lock;
 * unchecked terms only resume a row of their digest.
 */
async function refusalOf(
  parts: SalesParts,
  { terms, binding, now }: AskingRequest,
  given: SignedPayment,
  written: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const { signature } = written.credential as Credential;
  const signed: SignedPayment = { ...given, authorization: authorizationOf(written), signature };
  const wrong = mismatch(signed, terms, binding.bodyDigest) ?? outOfTime(signed, Math.floor(now / 1000));
  if (wrong) return wrong;
  await parts.assertDomain();
  return parts.refusalOfSignature(signed);
}

/** Seconds until a payment that has not begun has; undefined for other reasons. @param now milliseconds */
const secondsUntil = (reason: Refusal, { authorization }: SignedPayment, now: number): number | undefined =>
  reason === "not_yet_valid" ? Number(authorization.validAfter) - Math.floor(now / 1000) + 1 : undefined;

/** An authorization may be valid for longer than a Date can express. */
const dateOf = (seconds: bigint): Date =>
  new Date(Number(seconds > 253_402_300_799n ? 253_402_300_799n : seconds) * 1000);

type FacilitatorParts = Pick<SettlementParts, "chain" | "facilitator" | "domain">;

const LOOK_MS = 200;
/** Milliseconds after an order in which the service's own node may not show its result yet: it lags, or is reorganising. */
const ORDER_GRACE_MS = 60_000;

/**
 * Requests the check and then the settlement from the facilitator.
 * @param begin records that from now on the money may move; false when the payment was taken over
 */
async function askFacilitator(
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
  if (cause === "error") return { kind: "unknown", cause: new Error(`refused: ${outcome.reason}`), broadcast: true };
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
    if (cause === "error")
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
): Promise<Refusal | "error" | "none"> {
  const named = reasonIn(said);
  if (named !== null) return named;
  const data = transferData(authorization, signature);
  const tried = await chain.call({ to: token.address, data, gas: SETTLEMENT_GAS });
  if (tried.ok) return "none";
  const reason = reasonIn(`${tried.reason} ${tried.data ?? ""}`);
  return reason === null || reason === "error" ? "not_settled" : reason;
}

/** The ledger's record of a signed payment. Integers are strings, because JSON has no bigint. */
type Credential = {
  signature: Hex;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
  resourceUrl: string;
};

const toCredential = ({ authorization, signature }: SignedPayment, resourceUrl: string): Credential => ({
  signature,
  validAfter: String(authorization.validAfter),
  validBefore: String(authorization.validBefore),
  nonce: authorization.nonce,
  resourceUrl,
});

/** The authorization of a payment that is in the ledger, or that will be written there. */
function authorizationOf({
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
