/** The request that presents a payment, as the ledger records it. */
import { digestOf, type PaymentClaim, type PaymentTerms, type Presenter } from "../../db/payments/payments.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";

/** Who presents a payment, and for which request. */
export const presenter = ({ request: { wallet, fingerprint } }: OpenCheckout, by: Presenter["by"]): Presenter => ({
  by,
  wallet,
  fingerprint,
});

/** The claim of a request on a payment that has been checked. */
export const claimOf = (
  checkout: OpenCheckout,
  { uniqueKey, effect }: SettleOptions,
  claim: Pick<PaymentClaim, "by" | "sinceBlock" | "client">,
): PaymentClaim => ({
  ...presenter(checkout, claim.by),
  ...claim,
  operation: checkout.request.operation,
  uniqueKey: uniqueKey ?? null,
  effect: effect ?? null,
});

/** Identifies the network that a request came from, by a digest: the address itself must not be stored. */
export const clientOf = ({ request }: OpenCheckout, { digest }: Pick<PaymentTerms, "digest">): string =>
  digestOf(digest, request.client);
