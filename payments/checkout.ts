/**
 * Payment of one request, as its handler sees it. A handler behind a price does three things in this order: every check
 * that may refuse; `await payment.settle()`; the effect and `paid.fulfil(tx, what)` in one database transaction. A
 * handler that only computes an answer: compute, `settle`, `fulfil`, return the answer. `withPayment` does the rest
 * around the handler: the 402, the replay of a stored answer, the headers, the credits.
 */
import type { Address } from "../core/agents/facts.ts";
import type { Failure } from "../core/errors.ts";
import type { RequestBinding } from "../core/payments/challenges.ts";
import { type Operation, type PriceList, UNPAID } from "../core/payments/prices.ts";
import type { Refusal } from "../core/payments/refusals.ts";
import type { PaidResource, Terms } from "../core/payments/terms.ts";
import type { Lease } from "../db/payments/ledger.ts";
import type { Payment } from "../db/payments/payments.ts";
import type { Queryable } from "../db/sql/transaction.ts";
import type { AskingRequest, GivenPayment, SalesParts } from "./methods/method.ts";

/** The parts of a request that its payment depends on. */
export type PaidRequest = Pick<AskingRequest, "wallet" | "signedIn" | "fingerprint" | "now"> & {
  operation: Operation;
  /** HEAD counts as GET. */
  method: string;
  /** With its leading slash, without the query. */
  path: string;
  /** Input and output of the endpoint, for catalogues of paid endpoints (bazaar.ts). */
  declaration: PaidResource["declaration"];
  /** The query, without its question mark. */
  search: string;
  /** The bytes as received; empty without a body. */
  body: Uint8Array;
  /** By lower-case name, every value that it was sent with (Node's `headersDistinct`). */
  headers: NodeJS.Dict<string[]>;
  /** The client's network. */
  client: string;
};

/** In USDC units: the present price, and the amounts accepted for it. */
type Price = { units: bigint; honoured: bigint[] };

/** What is sold at which price, and what payments are collected with. */
export type Sales = {
  settlement: SalesParts;
  config: { payments: { waitMs: number } };
  log: { warn(data: object, message: string): void };
  /** The prices in force, at most a few seconds old; does not wait for the database. */
  shown(): PriceList;
  /** The present price of an operation and the amounts accepted for it. @throws Failure upstream_unavailable */
  price(operation: Operation): Promise<Price>;
  termsFor(sold: Pick<PaidRequest, "operation" | "method" | "path" | "declaration">, price: Price): Terms;
};

/** How a request was paid for. */
export type PaymentReference = {
  method: "free" | Payment["method"];
  /** Names the payment in receipts: `free`, or `<chain>:<transaction>:<log index>`. */
  reference: string;
  /** Amount paid, in USDC units. */
  amountUnits: bigint;
  /**
   * Marks the payment as used up, in the transaction that carries out the paid operation.
   * @param bought `<kind>:<id>` of the thing bought
   * @throws Failure payment_pending when another request has taken over the payment meanwhile
   */
  fulfil(tx: Queryable, bought: string): Promise<void>;
};

export type SettleOptions = {
  /** A unique key: no two payments may be open for the same one, such as the registration of a wallet. */
  uniqueKey?: string;
  /** What a worker does with the money if this process dies before the effect (payments/effects.ts). */
  effect?: unknown;
};

export type Checkout = {
  /** Price in USDC units; 0n for a free operation. */
  price: bigint;
  /** The payment the request brought; null without one, and where the operation is free. */
  given: GivenPayment | null;
  /** Names that payment, for handlers that recognise a request by it. */
  key: string | null;
  /**
   * The payer, as far as it is known before settling: the signer of the payment, else the wallet that signed in. The
   * signature itself is checked by `settle`.
   */
  payer(): Promise<Address | null>;
  /** The 402. @param reason what is wrong with the payment; null or absent without one */
  refusal(reason?: Refusal | null, retryAfter?: number): Failure;
  /** @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress */
  settle(options?: SettleOptions): Promise<PaymentReference>;
};

/** A checkout with the state that collecting a payment and `withPayment` work on. */
export type OpenCheckout = Checkout & {
  sales: Sales;
  request: PaidRequest;
  terms: Terms | null;
  /** The parts of the request that a challenge for it is bound to. */
  binding: RequestBinding;
  /** Set once settled; `lease` is null only for a payment that was fulfilled before. */
  paid: { lease: Lease | null; payment: Payment; fulfilled: boolean } | null;
  /** Ends the renewal of the lease. */
  release(): void;
};

/** The payment of a free operation: none. */
export const FREE: PaymentReference = { method: "free", reference: UNPAID, amountUnits: 0n, async fulfil() {} };

/** The checkout of an operation without a price. */
export const FREE_CHECKOUT: Checkout = {
  price: 0n,
  given: null,
  key: null,
  payer: async () => null,
  refusal: () => {
    throw new Error("a free operation refuses no payment");
  },
  settle: async () => FREE,
};
