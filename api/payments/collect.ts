/** Takes the money for a request, by whichever way it is offered: a signed authorization, a transaction, an answered challenge, or a credit. */
import type { ChallengeAnswer } from "../../clients/ports.ts";
import { Failure, fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import type { SignedPayment } from "../../core/payments/authorization.ts";
import { Checked } from "../../core/payments/checked.ts";
import { mismatch, outOfTime, type Refusal } from "../../core/payments/terms.ts";
import { dropLease, type Held, spendCredit, takeUp } from "../../db/ledger.ts";
import {
  authorizationFact,
  creditsOf,
  digestOf,
  identifierFact,
  type Payment,
  type PaymentClaim,
  type PaymentTerms,
  type Presenter,
  selectPayments,
} from "../../db/payments.ts";
import { type Presented, presentPayment, resumePayment } from "../../db/present-payment.ts";
import { authorizationOf, bringIn, type Credential, isThere, toCredential } from "../../settlement/settle.ts";
import { challengeName, checkChallenge } from "./challenge.ts";
import { Answered, LEASE_MS, type OpenTill, type Settle, type SettleOptions, whileHeld } from "./checkout.ts";
import type { GivenPayment } from "./headers.ts";
import { isSignedByPayer } from "./payer.ts";
import type { PaymentDesk } from "./payment-service.ts";
import { checkTransfers } from "./transfer.ts";

type Taken = { payment: Payment; held: Held | null };

/** The way in for every request behind a price. */
export const takePayment: Settle = async (desk, till, options) => {
  const { given } = till;
  if (given === null) return (await takeCredit(desk, till, options)) ?? refuse(till);
  switch (given.kind) {
    case "signed":
      return takeSigned(desk, till, given, options);
    case "transaction":
      return takeTransaction(desk, till, given.hash, options);
    case "challenged":
      return takeChallenged(desk, till, given.answer, options);
  }
};

function refuse(till: OpenTill, reason: Refusal | null = null): never {
  throw till.refusal(reason);
}

/** Blocks back from now in which the payer itself may have used the authorization; about an hour on Base. */
const OWN_BLOCKS = 1_800;

async function takeSigned(
  desk: PaymentDesk,
  till: OpenTill,
  given: Extract<GivenPayment, { kind: "signed" }>,
  options: SettleOptions,
): Promise<Taken> {
  const { request } = till;
  const { from } = given.authorization;
  const signer = request.wallet ?? (await signedInBeside(till));
  const by = signer === from ? "payer" : "bearer";
  const terms = signedTerms(till, given);
  const identifier = given.identifier === null ? null : identifierFact(from, given.identifier);
  const known = await resumePayment(desk.db, { ...terms, identifier }, presenter(till, by), LEASE_MS);
  if (known.kind !== "unchecked") return use(desk, till, known, options);
  const checked = await Checked.of(terms, (written) => refusalOf(desk, till, given, written));
  if (typeof checked === "string") return refuse(till, checked);
  const head = await desk.chain.headBlock();
  const claim = claimOf(till, options, {
    by,
    // Others than its payer must have shown it before it was settled: in the newest block it is public already.
    sinceBlock: by === "payer" ? Math.max(0, head - OWN_BLOCKS) : head + 1,
    client: clientOf(till, terms),
  });
  return use(desk, till, await presentPayment(desk.db, checked, claim, identifier, LEASE_MS), options);
}

function signedTerms({ terms }: OpenTill, given: SignedPayment): PaymentTerms {
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

/** Whether what is to be written is what is asked for, good now, and signed by its payer. */
async function refusalOf(
  desk: PaymentDesk,
  till: OpenTill,
  given: SignedPayment,
  written: Readonly<PaymentTerms>,
): Promise<Refusal | null> {
  const { signature } = written.credential as Credential;
  const signed: SignedPayment = { ...given, authorization: authorizationOf(written), signature };
  const wrong = mismatch(signed, till.terms!) ?? outOfTime(signed, Math.floor(till.request.now / 1000));
  if (wrong) return wrong;
  await desk.assertDomain();
  return (await isSignedByPayer(desk.chain, signed, till.terms!.domain)) ? null : "invalid_signature";
}

/** Authorizations may be good for longer than a Date can say. */
const dateOf = (seconds: bigint): Date =>
  new Date(Number(seconds > 253_402_300_799n ? 253_402_300_799n : seconds) * 1000);

async function takeTransaction(
  desk: PaymentDesk,
  till: OpenTill,
  hash: `0x${string}`,
  options: SettleOptions,
): Promise<Taken> {
  const payer = till.request.wallet ?? (await till.request.signedIn());
  if (!payer) refuse(till, "payer_unknown");
  const found = await checkTransfers(desk, till, hash, payer);
  if (typeof found === "string") return refuse(till, found);
  for (const checked of found) {
    const { block } = checked.terms.settlement!;
    const claim = claimOf(till, options, { by: "payer", sinceBlock: block, client: null });
    const presented = await presentPayment(desk.db, checked, claim, null, LEASE_MS);
    if (presented.kind !== "other") return use(desk, till, presented, options);
  }
  return alreadyUsed();
}

async function takeChallenged(
  desk: PaymentDesk,
  till: OpenTill,
  answer: ChallengeAnswer | null,
  options: SettleOptions,
): Promise<Taken> {
  if (answer === null) return refuse(till, "unknown_challenge");
  const known = await resumePayment(desk.db, challengeName(answer), presenter(till, "challenge"), LEASE_MS);
  if (known.kind !== "unchecked") return use(desk, till, known, options);
  const checked = await checkChallenge(desk, till, answer);
  if (typeof checked === "string") return refuse(till, checked);
  const claim = claimOf(till, options, {
    by: "challenge",
    sinceBlock: await desk.machinePayments!.chain.headBlock(),
    client: null,
  });
  return use(desk, till, await presentPayment(desk.db, checked, claim, null, LEASE_MS), options);
}

const presenter = ({ request: { wallet, fingerprint } }: OpenTill, by: Presenter["by"]): Presenter => ({
  by,
  wallet,
  fingerprint,
});

const claimOf = (
  till: OpenTill,
  { uniqueKey, effect }: SettleOptions,
  claim: Pick<PaymentClaim, "by" | "sinceBlock" | "client">,
): PaymentClaim => ({
  ...presenter(till, claim.by),
  ...claim,
  operation: till.request.operation,
  uniqueKey: uniqueKey ?? null,
  effect: effect ?? null,
});

/** What tells the network of a request from others; not the address itself, which is nobody's business later on. */
const clientOf = ({ request }: OpenTill, { digest }: Pick<PaymentTerms, "digest">): string =>
  digestOf(digest, request.client);

/** Goes on with a payment as the ledger has it. */
async function use(desk: PaymentDesk, till: OpenTill, presented: Presented, options: SettleOptions): Promise<Taken> {
  switch (presented.kind) {
    case "ours":
      return bring(desk, till, presented);
    case "done":
      return finished(desk, till, presented, options);
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
    case "held":
      return inProgress(2);
  }
}

async function bring(desk: PaymentDesk, till: OpenTill, held: Held): Promise<Taken> {
  const { description, serviceName, declaration } = till.terms!.resource;
  const declared = { description, serviceName, extensions: { bazaar: declaration.extension } };
  const result = await whileHeld(desk, held, () =>
    bringIn(desk.settlement, held, desk.config.payments.waitMs, declared),
  );
  if (result.kind === "paid") return { payment: result.payment, held: { payment: result.payment, lease: held.lease } };
  if (result.kind === "refused") refuse(till, result.reason);
  const who = { paymentId: held.payment.paymentId, lease: held.lease };
  // The lease runs out by itself where it cannot be given back.
  await dropLease(desk.db, who).catch(() => {});
  return fail("payment_pending", "It is not known yet whether the payment was settled.", {
    hint: "Repeat the request with the same payment; a new one could be charged as well.",
    retryAfter: 5,
    cause: result.cause,
  });
}

/** How long an answer bought without a wallet is given again, to who lost it. */
const REPLAY_MS = 600_000;

/** A payment that this very request has used up before, or that is its payer's credit. */
async function finished(
  desk: PaymentDesk,
  till: OpenTill,
  { payment, named }: Extract<Presented, { kind: "done" }>,
  options: SettleOptions,
): Promise<Taken> {
  if (payment.state === "fulfilled" || payment.state === "lost") {
    if (!(await mayHaveAgain(till, payment, named)))
      return fail("payment_already_used", "What this payment has bought was given out. Nothing was charged.", {
        hint: "To have it once more, repeat the request signed in with the wallet that paid (SIWA or SIWE).",
      });
    if (payment.answer) throw new Answered(payment, payment.answer);
    return { payment, held: null };
  }
  if (payment.state === "refund_due") {
    const credit = await spend(desk, till, options);
    if (credit) return credit;
  }
  return alreadyUsed();
}

/**
 * Whether the answer that a payment bought is given to its request again. After the settlement everybody can read an
 * authorization on the chain, so that a bearer has to show more: the payer's sign-in, or for a while the identifier that
 * it gave to the payment, or the network that it paid from.
 * @param named the payment was presented by its identifier, too
 */
async function mayHaveAgain(till: OpenTill, payment: Payment, named: boolean): Promise<boolean> {
  const { request } = till;
  // Only the same wallet signs the same request, only its asker knows a challenge, and a hash wants its payer's sign-in.
  if (request.wallet !== null || payment.method !== "x402" || till.given?.kind !== "signed") return true;
  if ((await signedInBeside(till)) === payment.payer) return true;
  if (request.now - (payment.paidAt?.getTime() ?? 0) > REPLAY_MS || payment.digest === null) return false;
  return named || payment.client === clientOf(till, { digest: payment.digest });
}

/** What the wallet has paid for and not got, or this request's own payment that a crash has left. */
async function takeCredit(desk: PaymentDesk, till: OpenTill, options: SettleOptions): Promise<Taken | null> {
  const { wallet, fingerprint } = till.request;
  if (!wallet) return spend(desk, till, options);
  const left = await selectPayments(desk.db, "wallet = $1 and fingerprint = $2 and state = 'paid'", [
    wallet,
    fingerprint,
  ]);
  for (const { paymentId } of left) {
    const held = await takeUp(desk.db, paymentId, LEASE_MS);
    // Since it was read it may have become a credit, and have been spent on another request.
    if (held?.payment.state === "paid" && held.payment.fingerprint === fingerprint)
      return { payment: held.payment, held };
    if (held) await dropLease(desk.db, { paymentId, lease: held.lease });
    return inProgress(2);
  }
  return spend(desk, till, options);
}

async function spend(desk: PaymentDesk, till: OpenTill, { uniqueKey, effect }: SettleOptions): Promise<Taken | null> {
  const { operation, fingerprint } = till.request;
  const { payTo, honoured } = till.terms!;
  const wallet = till.request.wallet ?? (await signedInBeside(till));
  if (!wallet) return null;
  const asked = { operation, fingerprint, uniqueKey: uniqueKey ?? null, effect: effect ?? null };
  for (const credit of await creditsOf(desk.db, { wallet, payee: payTo, amounts: honoured })) {
    if (!(await isThere(desk.settlement, credit))) continue;
    const spent = await spendCredit(desk.db, credit, asked, LEASE_MS);
    if (spent === "held") return inProgress(2);
    // Another request may have spent it while its money was looked for.
    if (spent) return { payment: spent.payment, held: spent };
  }
  return null;
}

/** The wallet that signs a request for which nobody has to: its credits are its own to spend. A bad credential has none. */
async function signedInBeside({ request }: OpenTill): Promise<Address | null> {
  try {
    return await request.signedIn();
  } catch (error) {
    if (error instanceof Failure && error.status < 500 && error.code !== "rate_limited") return null;
    throw error;
  }
}

function alreadyUsed(): never {
  return fail("payment_already_used", "This payment has been used for another request. Nothing was charged.", {
    hint: "Ask again without it and pay anew.",
  });
}

function inProgress(retryAfter: number): never {
  return fail("request_in_progress", "A request with this payment, or for the same thing, is being worked on.", {
    hint: "Repeat the request with the same payment.",
    retryAfter,
  });
}
