/**
 * One request's way to pay. A handler behind a price does three things, in this order: every check that may refuse,
 * `await payment.settle()`, and the effect together with `paid.fulfil(tx, what)` in one database transaction. What is
 * computed and given out instead of done: compute, `settle`, `fulfil`, release the answer. Everything else (the 402, the
 * replay of a stored answer, headers, credits) is done around the handler by `withPayment`.
 */
import { hash } from "node:crypto";
import { type Failure, fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import { V1_NETWORKS } from "../../core/payments/authorization.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import type { PaidResource, Terms } from "../../core/payments/terms.ts";
import { type Operation, UNPAID } from "../../core/prices.ts";
import { dropLease, fulfilPayment, type Held, owePayment, renewLease, storeReply } from "../../db/ledger.ts";
import { authorizationFact, challengeFact, type Payment, paymentsOf, type StoredReply } from "../../db/payments.ts";
import type { Queryable } from "../../db/transaction.ts";
import { type GivenPayment, type HeaderValues, readPayment } from "./headers.ts";
import { paymentRequired, paymentResponse } from "./offers.ts";
import type { PaymentDesk } from "./payment-service.ts";

/** What the gate must know of a request. */
export type PaidRequest = {
  operation: Operation;
  /** HEAD counts as GET. */
  method: string;
  /** With its leading slash, without the query. */
  path: string;
  /** How requests of its kind are made and answered, for those who list what can be bought. */
  declaration: PaidResource["declaration"];
  /** The query, without its question mark. */
  search: string;
  /** As it came, empty without one. */
  body: Uint8Array;
  headers: HeaderValues;
  /** The authenticated wallet; null where none is asked for. */
  wallet: Address | null;
  /** The wallet a request without a guard signs in with all the same; null without a credential. */
  signedIn(): Promise<Address | null>;
  /** The network it comes from. */
  client: string;
  /** Equal requests have equal fingerprints. */
  fingerprint: string;
  /** Milliseconds since the epoch. */
  now: number;
};

/** How a request was paid for. */
export type Paid = {
  method: "free" | Payment["method"];
  /** Names the payment in receipts: `free`, or `<chain>:<transaction>:<log index>`. */
  reference: string;
  /** What was paid, in USDC units. */
  amountUnits: bigint;
  /**
   * Marks the payment as used up, in the transaction that does what was paid for.
   * @param bought `<kind>:<id>` of what it bought
   * @throws Failure payment_pending when the payment has been taken from this request meanwhile
   */
  fulfil(tx: Queryable, bought: string): Promise<void>;
};

export type SettleOptions = {
  /** What no two payments may be open for at once, such as the registration of a wallet. */
  uniqueKey?: string;
  /** What is to be done with the money if this process dies before it does it (settlement/effects.ts). */
  effect?: unknown;
};

export type Till = {
  /** What is asked for, in USDC units; 0n asks for nothing. */
  price: bigint;
  /** The payment the request brought; null without one, and where nothing is asked for. */
  given: GivenPayment | null;
  /** Names that payment, for handlers that recognise a request by it. */
  key: string | null;
  /**
   * Who pays for this request, as far as that is known before: the signer of its payment, else the wallet that has signed
   * in. Its signature is looked at when it settles.
   */
  payer(): Promise<Address | null>;
  /** The 402. @param reason see `paymentRequired` */
  refusal(reason?: Parameters<typeof paymentRequired>[3]): Failure;
  /** @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress */
  settle(options?: SettleOptions): Promise<Paid>;
};

/** The state of a till that `withPayment` looks after. */
export type OpenTill = Till & {
  request: PaidRequest & { fingerprint: string };
  terms: Terms | null;
  /** What a challenge for this request is bound to. */
  binding: RequestBinding;
  /** Set once settled; `held` is null only where it was fulfilled before. */
  paid: { held: Held | null; payment: Payment; fulfilled: boolean } | null;
  /** Ends the renewal of the lease. */
  release(): void;
};

/** Thrown by `settle` where the same payment has bought the same request its answer before: that answer is given again. */
export class Answered extends Error {
  readonly payment: Payment;
  readonly reply: StoredReply;
  constructor(payment: Payment, reply: StoredReply) {
    super("answered before");
    this.payment = payment;
    this.reply = reply;
  }
}

/** How long a payment is held without a sign of life of its process; a retry after a crash waits at most this long. */
export const LEASE_MS = 5_000;
const RENEW_MS = 1_500;

/** Opens the till for a request. Without a price its payment headers are not even read. @throws Failure invalid_input */
export async function openTill(desk: PaymentDesk, request: PaidRequest, settle: Settle): Promise<OpenTill> {
  const price = await desk.price(request.operation);
  const terms = price.units === 0n ? null : desk.termsFor(request, price);
  const given = terms ? await readPayment(request.headers, desk.machinePayments) : null;
  const binding = bindingOf(request);
  const till: OpenTill = {
    price: price.units,
    given,
    key: given && keyOf(desk, given),
    request: {
      ...request,
      fingerprint: hash("sha256", JSON.stringify([request.wallet, request.fingerprint]), "hex"),
    },
    terms,
    binding,
    paid: null,
    release() {},
    payer: async () => namedBy(given) ?? request.wallet ?? (await request.signedIn()),
    refusal: (reason) => paymentRequired(desk.offers, terms!, binding, reason),
    async settle(options = {}) {
      if (!terms) return FREE;
      const { payment, held } = await settle(desk, till, options);
      till.paid = { payment, held, fulfilled: payment.state === "fulfilled" || payment.state === "lost" };
      // Until it is fulfilled, so that a copy does not take it over from a process that is slow.
      if (held) till.release = keepHeld(desk, held);
      return {
        method: payment.method,
        reference: `${payment.chainId}:${payment.txHash}:${payment.logIndex}`,
        amountUnits: payment.amountUnits,
        async fulfil(tx, bought) {
          if (till.paid!.fulfilled) return;
          // While it is held only: taken over, it may have become a credit and be paying for something else by now.
          const done = await fulfilPayment(tx, { paymentId: payment.paymentId, lease: held!.lease }, bought);
          if (!done) fail("payment_pending", "The payment is being used elsewhere. Retry with the same payment.");
          till.paid!.fulfilled = true;
        },
      };
    },
  };
  return till;
}

const FREE: Paid = { method: "free", reference: UNPAID, amountUnits: 0n, async fulfil() {} };

/** The till of what has no price. */
export const FREE_TILL: Till = {
  price: 0n,
  given: null,
  key: null,
  payer: async () => null,
  refusal: () => {
    throw new Error("nothing is asked for");
  },
  settle: async () => FREE,
};

/** Whom a payment names as its payer. */
function namedBy(given: GivenPayment | null): Address | null {
  if (given?.kind === "signed") return given.authorization.from;
  return given?.kind === "challenged" ? (given.answer?.payer ?? null) : null;
}

function keyOf({ settlement: { domain } }: PaymentDesk, given: GivenPayment): string | null {
  if (given.kind === "challenged") return given.answer && challengeFact(given.answer.chainId, given.answer.challengeId);
  if (given.kind === "transaction") return `${domain.chainId}:${given.hash}`;
  const { from, nonce } = given.authorization;
  return authorizationFact(domain.chainId, domain.verifyingContract, from, nonce);
}

/** What tells a request from others, before anybody has signed in: a challenge may be asked for by one and paid by another. */
const bindingOf = ({ operation, method, path, search, body }: PaidRequest): RequestBinding => ({
  resource: hash("sha256", JSON.stringify([operation, method, path, search]), "hex"),
  bodyDigest: body.length === 0 ? null : `sha-256=${hash("sha256", body, "base64")}`,
});

/** Brings a request's money in. */
export type Settle = (
  desk: PaymentDesk,
  till: OpenTill,
  options: SettleOptions,
) => Promise<{ payment: Payment; held: Held | null }>;

/** Keeps a payment held while `work` runs. */
export async function whileHeld<T>(desk: PaymentDesk, held: Held, work: () => Promise<T>): Promise<T> {
  const release = keepHeld(desk, held);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Keeps a payment held until the function it returns is called. */
function keepHeld({ db }: PaymentDesk, { payment, lease }: Held): () => void {
  const who = { paymentId: payment.paymentId, lease };
  const beat = setInterval(() => void renewLease(db, who, LEASE_MS).catch(() => {}), RENEW_MS);
  return () => clearInterval(beat);
}

type AnyReply = { status: number; type: string; content: unknown; headers?: Record<string, string>; final?: boolean };

/**
 * Runs a handler with its till: an answer it has bought is kept for the same request, what cannot be done is owed to the
 * payer, and any other failure lets the same payment try again.
 */
export async function withPayment<R extends AnyReply>(
  desk: PaymentDesk,
  till: OpenTill,
  handle: () => Promise<R>,
): Promise<R> {
  const { db, log } = desk;
  const settleAccounts = (work: Promise<unknown>) =>
    work.catch((err) => log.warn({ err }, "a payment's row could not be brought up to date"));
  try {
    const reply = await handle();
    const { paid } = till;
    // Recognised by its payment, so that nothing had to be settled.
    if (!paid)
      return reply.status < 300
        ? { ...reply, headers: { ...reply.headers, ...(await knownResponse(desk, till)) } }
        : reply;
    const headers = { ...reply.headers, ...responseOf(desk, paid.payment) };
    if (paid.fulfilled && reply.final !== false && reply.status < 300 && typeof reply.content === "string")
      await settleAccounts(
        storeReply(db, paid.payment, {
          status: reply.status,
          headers: { ...headers, "content-type": reply.type },
          body: reply.content,
        }),
      );
    return { ...reply, headers };
  } catch (error) {
    if (error instanceof Answered) return replayed(error) as R;
    const { paid } = till;
    if (paid && !paid.fulfilled && isRefusal(error)) {
      const { payment, held } = paid;
      await settleAccounts(
        owePayment(db, { paymentId: payment.paymentId, lease: held!.lease }, "refused_after_payment"),
      );
      till.paid = null;
    }
    throw error;
  } finally {
    till.release();
    const held = till.paid?.held;
    if (held) await settleAccounts(dropLease(db, { paymentId: held.payment.paymentId, lease: held.lease }));
  }
}

const replayed = ({ reply: { status, headers, body } }: Answered): AnyReply => ({
  status,
  type: headers["content-type"] ?? "application/json; charset=utf-8",
  content: body,
  headers: { ...headers, "idempotent-replayed": "true" },
});

const isRefusal = (error: unknown): boolean => {
  const status = (error as Partial<Failure> | null)?.status;
  return status !== undefined && status >= 400 && status < 500;
};

/** What is to be said of the payment a request brought, where the ledger has it for this request. */
async function knownResponse(desk: PaymentDesk, { key, request }: OpenTill) {
  if (key === null) return {};
  const [known] = await paymentsOf(desk.db, [key]).catch(() => []);
  return known && known.fingerprint === request.fingerprint ? responseOf(desk, known) : {};
}

/** The headers that tell a payer where its money went, in the words of the way it paid. */
function responseOf(desk: PaymentDesk, payment: Payment): Record<string, string> {
  const { method, chainId, txHash, payer, amountUnits, paidAt } = payment;
  if (!txHash) return {};
  if (method !== "mpp") return paymentResponse({ chainId, txHash, payer, amountUnits }, V1_NETWORKS[chainId]);
  if (!desk.machinePayments) return {};
  return { "payment-receipt": desk.machinePayments.receipt({ txHash, at: paidAt ?? payment.updatedAt }) };
}
