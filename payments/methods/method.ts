/**
 * What a payment method is: one value with everything that the service does differently for it, and what several of them share.
 */
import type pg from "pg";
import type { Chain, Facilitator, Mpp, PaymentOrder } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { type SignedPayment, type TokenDomain, V1_NETWORKS } from "../../core/payments/authorization.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import type { Checked } from "../../core/payments/checked.ts";
import type { ClaimedBy } from "../../core/payments/claims.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import type { Terms } from "../../core/payments/terms.ts";
import type { Payment, PaymentClaim, PaymentName, PaymentTerms } from "../../db/payments/payments.ts";
import type { Fault } from "../../runtime/faults.ts";
import type { Evidence, Search } from "../evidence.ts";

/** What payments are found and settled with. */
export type SettlementParts = {
  db: pg.Pool;
  chain: Chain;
  /** Null where nothing requests a settlement: then only transfers that are on the chain count. */
  facilitator: Facilitator | null;
  /** Null where MPP is not offered. */
  mpp: Mpp | null;
  /** Every payment method, also those that are not offered at the moment: the ledger may have payments by them. */
  methods: readonly PaymentMethod[];
  /** True where the money may be searched for, but not moved. */
  onlyLooks?: boolean;
  /** Of USDC on this chain. */
  domain: TokenDomain;
  confirmations: number;
  /** Units of USDC that may be sold for with fewer confirmations, or on a preconfirmation; 0n = none. */
  earlyUnits: bigint;
  fault: Fault;
};

/** What payments are offered, read and checked with, beyond their settlement. */
export type SalesParts = SettlementParts & {
  /** Transfers made before are not accepted; absent without a limit. */
  since: Date | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Makes two challenges of the same terms different. */
  salt(): string;
  /** Asks the chain once whether the token has the domain that clients sign over. @throws Failure upstream_unavailable */
  assertDomain(): Promise<void>;
  /** The signature in the one form that tokens take, where the payer's own key made it; any other as it is. */
  wholeSignature(signed: SignedPayment): Hex;
  /**
   * Why the payer, an account or a contract wallet, has not signed an authorization; null where it has.
   * @throws Failure upstream_unavailable
   */
  refusalOfSignature(signed: SignedPayment): Promise<Refusal | null>;
};

/** A header that may carry a payment, with what the OpenAPI document says of it. */
export type PaymentHeader = { name: string; description: string };

/** How requests bring the payment. */
export type Wire =
  /**
   * As the value of a header. Several payment methods may share one header: `isOwn` accepts a value by its form alone, and
   * `form` ends the sentence "The header …" for a value that none of them accepts.
   */
  | { kind: "value"; headers: readonly PaymentHeader[]; isOwn(value: string): boolean; form: string }
  /** As a credential of HTTP authentication, in a header of its own or in a list in Authorization together with a sign-in. */
  | { kind: "credential"; header: PaymentHeader; scheme: string };

export type SentValue = { name: string; value: string };

/** What a 402 has to contain. */
type AskedOption = {
  terms: Terms;
  /** What is wrong with the payment that was brought, or `payment_required`. */
  error: string;
  /** The request to pay for; null before it was read: then the option has the terms only. */
  binding: RequestBinding | null;
};

/** A payment method in a 402: its headers and its part of the body. */
type PaymentOption = { headers?: Record<string, string>; body?: Record<string, unknown> };

export type AskingRequest = {
  terms: Terms;
  /** The parts of the request that a challenge for it is bound to. */
  binding: RequestBinding;
  /** The authenticated wallet; null where the guard requires none. */
  wallet: Address | null;
  fingerprint: string;
  /** Milliseconds since the epoch at which the request arrived. */
  now: number;
  /** The wallet of a credential that the guard does not require; null without one. @throws Failure for a bad credential */
  signedIn(): Promise<Address | null>;
  /** The same, where a bad credential counts as none. */
  optionalSignIn(): Promise<Address | null>;
  /** Identifies the network that the request came from, for one payment. */
  clientOf(terms: Pick<PaymentTerms, "digest">): string;
};

/** Checked terms, and the claim of the request that presents them. */
type CheckedPayment = { checked: Checked<PaymentTerms> } & Pick<PaymentClaim, "sinceBlock" | "client">;

type PresentedPayment = {
  by: ClaimedBy;
  /** The name by which the ledger may know it already; null where only the chain gives one. */
  name: PaymentName | null;
  /**
   * Checks a payment that the ledger does not know by its name, and writes nothing.
   * @returns what may be written, in the order in which it is tried: the first that no other request has pays
   */
  check(): Promise<CheckedPayment[] | RefusedPayment>;
};

/** Why a payment cannot be accepted. `retryAfter`: seconds, where more is known than what the reason says. */
type RefusedPayment = { reason: Refusal; retryAfter?: number | undefined };

/**
 * A payment method. Adding one is a file with such a value and its line in PAYMENT_METHODS (../methods.ts).
 * @typeParam Given a payment as it was read from a request's headers; only the payment method itself looks inside
 */
export type PaymentMethod<Given = unknown> = {
  /** The value of the ledger's column `method`; never changed, because rows have it. */
  key: string;
  wire: Wire;
  /** What the OpenAPI document says of its credential; absent where it lists none. */
  security?: string;
  /**
   * True where the credential is an authorization that any account may bring onto the chain, in any transaction: it is public
   * once settled, so who shows it then proves nothing, and after a reorganisation another transaction may settle it anew.
   */
  isPublic: boolean;
  /** Its option in a 402; null where it is not offered. */
  option(parts: SalesParts, request: AskedOption): PaymentOption | null;
  /**
   * The payment of a request.
   * @param values at least one: all that the request has sent in headers of payments, or its one credential
   * @throws Failure invalid_input for anything that is not exactly one well-formed payment
   */
  read(values: readonly [SentValue, ...SentValue[]], parts: SalesParts): Given | Promise<Given>;
  /** The payer that it names; null where it names none. */
  payer(given: Given): Address | null;
  /** Names the payment, for handlers that recognise a request by it; null where it has no name yet. */
  nameOf(given: Given, parts: Pick<SalesParts, "domain">): string | null;
  /**
   * Who presents it, under which name, and how it is checked.
   * @returns the reason where it cannot be presented at all
   */
  present(parts: SalesParts, given: Given, request: AskingRequest): Promise<PresentedPayment | Refusal>;
  /** The chain that its money moves on; null where that is not configured. */
  chain(parts: SettlementParts): Chain | null;
  /**
   * The evidence for a payment on its chain.
   * @param chain the one of the payment
   * @throws Failure upstream_unavailable
   */
  find(parts: SettlementParts, chain: Chain, payment: Payment, search?: Search): Promise<Evidence>;
  /**
   * Requests that the money moves, also repeatedly: it must never move twice.
   * @param order.begin records that from now on the money may move, and is called before it may; false when the payment was
   *   taken over: then nothing may be requested
   * @param order.declared description of the paid resource, for facilitators that list it
   * @throws Failure upstream_unavailable; afterwards it is unknown whether the money moves
   */
  settle(
    parts: SettlementParts,
    payment: Payment,
    order: { begin(): Promise<boolean>; declared: PaymentOrder["declared"] },
  ): Promise<SettlementOutcome>;
  /** The response headers that name the payment's transaction. */
  receipt(parts: Pick<SalesParts, "mpp">, paid: SettledPayment): Record<string, string>;
  /** Its entry in the OpenAPI document's `x-payment-info`; null where it is not offered, absent where it has none. */
  protocol?(parts: Pick<SalesParts, "facilitator" | "mpp">): Record<string, object> | null;
  /** Its entry in the list of payment methods in GET /api/v2, without the endpoints; absent where it has none. */
  listing?(parts: Pick<SalesParts, "facilitator" | "mpp" | "domain">): PaymentListing;
};

/** A payment whose transaction is known. */
type SettledPayment = Pick<Payment, "chainId" | "payer" | "amountUnits" | "paidAt" | "updatedAt"> & {
  txHash: NonNullable<Payment["txHash"]>;
};

/** A way that is `planned` is never required. */
type PaymentListing = {
  protocol: string;
  status: "available" | "planned";
  chain: number;
  currency: string;
  asset?: string;
};

/** A payment that a request has brought, and its payment method. */
export type GivenPayment = { method: PaymentMethod; credential: unknown };

/** The outcome of a request to move the money. `broadcast`: the money may be moving. `txHash`: as the facilitator says. */
export type SettlementOutcome =
  | { kind: "settled"; txHash?: Hex }
  | { kind: "refused"; reason: Refusal; broadcast: boolean }
  | { kind: "unknown"; cause: unknown; broadcast: boolean };

/** @param message ends the sentence "The header …" @throws Failure invalid_input */
export function refuseHeader(name: string, message: string, cause?: unknown): never {
  return fail("invalid_input", `The header ${name} ${message}.`, { details: [{ path: name, message }], cause });
}

/** A header's value: JSON in base64. */
export const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** The headers that name the payment's transaction, in the formats of both versions. */
export function paymentResponse({ chainId, txHash, payer, amountUnits }: SettledPayment): Record<string, string> {
  const response = { success: true, transaction: txHash, payer, amount: String(amountUnits) };
  return {
    "payment-response": base64({ ...response, network: `eip155:${chainId}` }),
    "x-payment-response": base64({ ...response, network: V1_NETWORKS[chainId] ?? `eip155:${chainId}` }),
  };
}
