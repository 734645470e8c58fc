/** Takes the money for a request, by whichever way it is offered: a signed authorization, a transaction, an answered challenge, or a credit. */
import type { ChallengeAnswer } from "../../../clients/ports.ts";
import { Failure, fail } from "../../../core/errors.ts";
import type { Address } from "../../../core/facts.ts";
import { mismatch, outOfTime, type Refusal } from "../../../core/payments/terms.ts";
import { dropLease, type Held, presentPayment, spendCredit, takeUp } from "../../../db/ledger.ts";
import {
  authorizationFact,
  identifierFact,
  type NewPayment,
  type Payment,
  paymentsOf,
  selectPayments,
} from "../../../db/payments.ts";
import { bringIn, toCredential } from "../../../payments/settle.ts";
import { challengePayment } from "./challenge.ts";
import type { PaymentDesk } from "./desk.ts";
import type { GivenPayment } from "./headers.ts";
import { isSignedByPayer } from "./payer.ts";
import { Answered, LEASE_MS, type OpenTill, type Settle, type SettleOptions, whileHeld } from "./till.ts";
import { transferPayments } from "./transfer.ts";

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
  const { request, terms } = till;
  const { authorization } = given;
  const { domain } = terms!;
  const fact = authorizationFact(domain.chainId, domain.verifyingContract, authorization.from, authorization.nonce);
  const [known] = await paymentsOf(desk.db, [fact]);
  if (!known || known.state === "released") {
    const wrong = mismatch(given, terms!) ?? (known ? null : outOfTime(given, Math.floor(request.now / 1000)));
    if (wrong) refuse(till, wrong);
    await desk.assertDomain();
    if (!(await isSignedByPayer(desk.chain, given, domain))) refuse(till, "invalid_signature");
  }
  const head = await desk.chain.headBlock();
  return hold(desk, till, {
    ...common(till, options),
    method: "x402",
    payer: authorization.from,
    payee: authorization.to,
    amountUnits: authorization.value,
    credential: toCredential(given, terms!.resource.url),
    validBefore: dateOf(authorization.validBefore),
    // After settlement a signature is public: to latecomers who are not the payer it proves nothing.
    sinceBlock: authorization.from === request.wallet ? Math.max(0, head - OWN_BLOCKS) : head,
    facts: [fact],
    identifier: given.identifier === null ? null : identifierFact(authorization.from, given.identifier),
  });
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
  const found = await transferPayments(desk, till, hash, payer);
  if (typeof found === "string") refuse(till, found);
  for (const transfer of found) {
    const taken = await hold(desk, till, { ...common(till, options), ...transfer }, { orNothing: true });
    if (taken) return taken;
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
  const found = await challengePayment(desk, till, answer);
  if (typeof found === "string") return refuse(till, found);
  return hold(desk, till, { ...common(till, options), ...found });
}

const common = (till: OpenTill, { holds = undefined, effect = null }: SettleOptions) => ({
  operation: till.request.operation,
  chainId: till.terms!.domain.chainId,
  asset: till.terms!.domain.verifyingContract,
  wallet: till.request.wallet,
  fingerprint: till.request.fingerprint,
  holds: holds ?? null,
  effect: effect ?? null,
});

async function hold(desk: PaymentDesk, till: OpenTill, given: NewPayment): Promise<Taken>;
async function hold(
  desk: PaymentDesk,
  till: OpenTill,
  given: NewPayment,
  options: { orNothing: true },
): Promise<Taken | null>;
/** Writes the payment down and brings its money in. */
async function hold(desk: PaymentDesk, till: OpenTill, given: NewPayment, options?: { orNothing: true }) {
  const presented = await presentPayment(desk.db, given, LEASE_MS);
  switch (presented.kind) {
    case "ours":
      return bring(desk, till, presented);
    case "done":
      return finished(desk, till, presented.payment);
    case "other":
      return options?.orNothing ? null : alreadyUsed();
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
  const result = await whileHeld(desk, held, () => bringIn(desk.settlement, held, desk.config.payments.waitMs));
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

/** A payment that this very request has used up before. */
async function finished(desk: PaymentDesk, till: OpenTill, payment: Payment): Promise<Taken> {
  if (payment.state === "fulfilled" || payment.state === "lost") {
    // Whoever reads the chain knows this payment's signature: without a wallet behind the request it is good for a while.
    const age = till.request.now - (payment.paidAt?.getTime() ?? 0);
    if (payment.wallet === null && payment.method === "x402" && age > REPLAY_MS) return alreadyUsed();
    if (payment.answer) throw new Answered(payment, payment.answer);
    return { payment, held: null };
  }
  if (payment.state === "refund_due") {
    const credit = await spend(desk, till, { effect: payment.effect });
    if (credit) return credit;
  }
  return alreadyUsed();
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
    return held && held.payment.state === "paid" ? { payment: held.payment, held } : inProgress(2);
  }
  return spend(desk, till, options);
}

async function spend(desk: PaymentDesk, till: OpenTill, { holds, effect }: SettleOptions): Promise<Taken | null> {
  const { operation, fingerprint } = till.request;
  const wallet = till.request.wallet ?? (await signedInBeside(till));
  if (!wallet) return null;
  const spent = await spendCredit(
    desk.db,
    {
      wallet,
      operation,
      fingerprint,
      payee: till.terms!.payTo,
      amounts: [...till.terms!.honoured],
      holds: holds ?? null,
      effect: effect ?? null,
    },
    LEASE_MS,
  );
  if (spent === "held") return inProgress(2);
  return spent && { payment: spent.payment, held: spent };
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
