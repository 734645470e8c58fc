/** What clients that look for paid operations read of one in the OpenAPI document: `x-payment-info`. */
import { formatUsdc, type Operation, priceUnits } from "../../core/payments/prices.ts";
import type { PaymentService } from "./payment-service.ts";

/**
 * `x-payment-info` of an operation: its present price, and the protocols it can be paid by.
 * @returns undefined where it costs nothing, or can be paid by a transfer of one's own only
 */
export function paymentInfoOf(
  { shown, settlement }: Pick<PaymentService, "shown" | "settlement">,
  operation: Operation,
) {
  const units = priceUnits(operation, shown());
  const protocols = settlement.methods.flatMap((method) => method.protocol?.(settlement) ?? []);
  if (units === 0n || protocols.length === 0) return undefined;
  return { price: { mode: "fixed", currency: "USD", amount: formatUsdc(units) }, protocols };
}
