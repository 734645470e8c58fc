/** Payments by a signed authorization (x402): terms, time and signature are checked before the ledger takes them. */
import type { SignedPayment } from "../../core/payments/authorization.ts";
import { Checked } from "../../core/payments/checked.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import { mismatch, outOfTime } from "../../core/payments/terms.ts";
import { authorizationFact, digestOf, identifierFact, type PaymentTerms } from "../../db/payments/payments.ts";
import { presentPayment, resumePayment } from "../../db/payments/present-payment.ts";
import { authorizationOf, type Credential, toCredential } from "../../settlement/settle.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { LEASE_MS } from "./lease.ts";
import { isSignedByPayer } from "./payer.ts";
import type { GivenPayment } from "./payment-headers.ts";
import { refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { claimOf, clientOf, presenter } from "./presented.ts";
import { type CollectedPayment, resume } from "./resume.ts";
import { optionalSignIn } from "./sign-in.ts";

/** Blocks back from now in which the payer itself may have used the authorization; about an hour on Base. */
const OWN_BLOCKS = 1_800;

/**
 * Check then write: terms, time and signature, then `presentPayment`; the row, its state and the chain may change
 * between: only frozen `Checked` terms are written, in one statement, and the ledger checks again under a row lock;
 * unchecked terms only resume a row of their digest.
 */
export async function collectX402(
  service: PaymentService,
  checkout: OpenCheckout,
  given: Extract<GivenPayment, { kind: "x402" }>,
  options: SettleOptions,
): Promise<CollectedPayment> {
  const { request } = checkout;
  const { from } = given.authorization;
  const signer = request.wallet ?? (await optionalSignIn(checkout));
  const by = signer === from ? "payer" : "bearer";
  const terms = signedTerms(checkout, given);
  const identifier = given.identifier === null ? null : identifierFact(from, given.identifier);
  const known = await resumePayment(service.db, { ...terms, identifier }, presenter(checkout, by), LEASE_MS);
  if (known.kind !== "unchecked") return resume(service, checkout, known, options);
  const checked = await Checked.of(terms, (written) => refusalOf(service, checkout, given, written));
  if (typeof checked === "string") return refuse(checkout, checked, secondsUntil(checked, given, request.now));
  const head = await service.chain.headBlock();
  const claim = claimOf(checkout, options, {
    by,
    // Anyone but the payer must have shown it before it was settled: in the newest block it is public already.
    sinceBlock: by === "payer" ? Math.max(0, head - OWN_BLOCKS) : head + 1,
    client: clientOf(checkout, terms),
  });
  return resume(service, checkout, await presentPayment(service.db, checked, claim, identifier, LEASE_MS), options);
}

function signedTerms({ terms }: OpenCheckout, given: SignedPayment): PaymentTerms {
  const { domain, resource } = terms!;
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

/** Why the terms to be written cannot be accepted: wrong amount or payee, out of time, not signed by the payer; null if none. */
async function refusalOf(
  service: PaymentService,
  checkout: OpenCheckout,
  given: SignedPayment,
  written: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const { signature } = written.credential as Credential;
  const signed: SignedPayment = { ...given, authorization: authorizationOf(written), signature };
  const wrong =
    mismatch(signed, checkout.terms!, checkout.binding.bodyDigest) ??
    outOfTime(signed, Math.floor(checkout.request.now / 1000));
  if (wrong) return wrong;
  await service.assertDomain();
  return (await isSignedByPayer(service.chain, signed, checkout.terms!.domain)) ? null : "invalid_signature";
}

/** Seconds until a payment that has not begun has; undefined for other reasons. @param now milliseconds */
const secondsUntil = (reason: Refusal, { authorization }: SignedPayment, now: number): number | undefined =>
  reason === "not_yet_valid" ? Number(authorization.validAfter) - Math.floor(now / 1000) + 1 : undefined;

/** An authorization may be valid for longer than a Date can express. */
const dateOf = (seconds: bigint): Date =>
  new Date(Number(seconds > 253_402_300_799n ? 253_402_300_799n : seconds) * 1000);
