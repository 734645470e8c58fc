/** The response headers of x402 that name the transaction of a payment on the service's chain. */
import { V1_NETWORKS } from "../../core/payments/authorization.ts";
import type { SettledPayment } from "./method.ts";

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
