/** The payment options of a 402: one for each way to pay, with its headers and its part of the body. */
import type { Mpp } from "../../clients/ports.ts";
import { checksum } from "../../core/addresses.ts";
import { Failure } from "../../core/errors.ts";
import type { RequestBinding } from "../../core/payments/challenges.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import { type Refusal, ruleOf } from "../../core/payments/refusals.ts";
import { MAX_TIMEOUT_SECONDS, optionVersion1, requiredVersion2, type Terms } from "../../core/payments/terms.ts";
import { CREDENTIAL_HEADER, PAYMENT_HEADERS } from "./payment-headers.ts";

/**
 * A way to pay in a 402.
 * @param binding the request to pay for; null before it was read: then the option has the terms only
 */
export type PaymentOption = (
  terms: Terms,
  error: string,
  binding: RequestBinding | null,
) => { headers?: Record<string, string>; body?: Record<string, unknown> };

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** x402: version 2 in a header, version 1 in the body; a client reads the one it knows. */
export const x402Option: PaymentOption = (terms, error, binding) => {
  const first = optionVersion1(terms);
  return {
    headers: { "payment-required": base64(requiredVersion2(terms, error, binding && { digest: binding.bodyDigest })) },
    body: { x402Version: 1, accepts: first ? [first] : [] },
  };
};

/** A transfer made by the payer itself, presented by its transaction's hash. */
export const transferOption: PaymentOption = (terms) => ({
  body: {
    transfer: {
      chainId: terms.domain.chainId,
      asset: optionVersion1(terms)?.asset ?? terms.domain.verifyingContract,
      to: optionVersion1(terms)?.payTo ?? terms.payTo,
      amount: String(terms.amountUnits),
      headers: PAYMENT_HEADERS,
      note: "Send exactly this amount from the wallet you sign in with, then repeat the request with the transaction's hash in one of these headers.",
    },
  },
});

/** MPP: a challenge for this very request in a header, its terms in the body. */
export const mppOption =
  ({ mpp, now, salt }: { mpp: Mpp; now(): number; salt(): string }): PaymentOption =>
  ({ payTo, amountUnits, resource: { description } }, _error, binding) => ({
    ...(binding && {
      headers: {
        "www-authenticate": mpp.challenge({
          ...binding,
          payTo,
          amountUnits,
          description,
          expiresAt: now() + MAX_TIMEOUT_SECONDS * 1000,
          salt: salt(),
        }),
      },
    }),
    body: {
      mpp: {
        method: "tempo",
        intent: "charge",
        chainId: mpp.chain.id,
        currency: checksum(mpp.currency),
        recipient: checksum(payTo),
        amount: String(amountUnits),
        header: CREDENTIAL_HEADER,
      },
    },
  });

/**
 * The 402 of a request.
 * @param binding see `PaymentOption`
 * @param reason the problem of the payment it brought; null when it brought none
 * @param retryAfter seconds, where more is known than what the reason says
 */
export function paymentRequired(
  options: readonly PaymentOption[],
  terms: Terms,
  binding: RequestBinding | null,
  reason: Refusal | null = null,
  retryAfter?: number,
): Failure {
  const price = formatUsdc(terms.amountUnits);
  const rule = reason && ruleOf(reason);
  const made = options.map((option) => option(terms, reason ?? "payment_required", binding));
  return new Failure("payment_required", rule?.says ?? `This operation costs ${price} USDC.`, {
    headers: {
      ...Object.assign({}, ...made.map(({ headers }) => headers)),
      ...(reason && { "payment-response": base64(failedResponse(terms, reason)) }),
    },
    extra: {
      ...Object.assign({}, ...made.map(({ body }) => body)),
      ...(reason && { reason }),
      price,
      currency: "USDC",
    },
    ...(rule && { hint: rule.hint, retryAfter: retryAfter ?? rule.retryAfter }),
  });
}

const failedResponse = ({ domain }: Terms, errorReason: string) => ({
  success: false,
  errorReason,
  transaction: "",
  network: `eip155:${domain.chainId}`,
});

/** The headers that name the payment's transaction, in the formats of both versions. */
export function paymentResponse(
  paid: { chainId: number; txHash: string; payer: string; amountUnits: bigint },
  v1Network?: string,
) {
  const response = { success: true, transaction: paid.txHash, payer: paid.payer, amount: String(paid.amountUnits) };
  return {
    "payment-response": base64({ ...response, network: `eip155:${paid.chainId}` }),
    "x-payment-response": base64({ ...response, network: v1Network ?? `eip155:${paid.chainId}` }),
  };
}
