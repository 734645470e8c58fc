/** Converts orders to x402 version 2, and reads a facilitator's untrusted answers. */
import { getAddress } from "viem";
import type { Hex } from "../core/agents/facts.ts";
import { isTransactionHash } from "../core/payments/transfers.ts";
import type { FacilitatorOutcome, FacilitatorVerdict, PaymentOrder } from "./ports.ts";

/** Converts an order to `paymentPayload` and `paymentRequirements`. */
export function toWire({ authorization, signature, token, maxTimeoutSeconds, resourceUrl, declared }: PaymentOrder) {
  const requirements = {
    scheme: "exact",
    network: `eip155:${token.chainId}` as const,
    amount: String(authorization.value),
    asset: getAddress(token.address),
    payTo: getAddress(authorization.to),
    maxTimeoutSeconds,
    extra: { name: token.name, version: token.version },
  };
  const payload = {
    x402Version: 2,
    resource: {
      url: resourceUrl,
      description: declared?.description ?? "",
      mimeType: "application/json",
      ...(declared && { serviceName: declared.serviceName }),
    },
    ...(declared && { extensions: declared.extensions }),
    accepted: requirements,
    payload: {
      signature,
      authorization: {
        from: getAddress(authorization.from),
        to: getAddress(authorization.to),
        value: String(authorization.value),
        validAfter: String(authorization.validAfter),
        validBefore: String(authorization.validBefore),
        nonce: authorization.nonce,
      },
    },
  };
  return { payload, requirements };
}

/** The reason if it has the form of an x402 error code; other texts are untrusted and dropped. */
const reasonOf = (value: unknown): string =>
  typeof value === "string" && /^[a-z0-9_]{1,100}$/.test(value) ? value : "unspecified";

/** Reads an answer of `/verify`. */
export function readVerdict(answer: unknown): FacilitatorVerdict {
  const { isValid, invalidReason } = (answer ?? {}) as { isValid?: unknown; invalidReason?: unknown };
  if (isValid === true) return { kind: "good" };
  if (isValid === false) return { kind: "refused", reason: reasonOf(invalidReason) };
  return { kind: "unknown", cause: new Error("the facilitator's answer is no verdict") };
}

/** Reads an answer of `/settle`. A named transaction may still be mined, even if the answer reports a failure. */
export function readOutcome(answer: unknown): FacilitatorOutcome {
  const { success, transaction, errorReason } = (answer ?? {}) as Record<string, unknown>;
  const named = isTransactionHash(transaction);
  if (success === true && named) return { kind: "settled", txHash: transaction.toLowerCase() as Hex };
  if (success === false && !named && errorReason !== "settlement_pending")
    return { kind: "refused", reason: reasonOf(errorReason) };
  return { kind: "unknown", cause: new Error(`the facilitator leaves the settlement open: ${reasonOf(errorReason)}`) };
}
