/** The payment slot: what an operation costs is asked here, once, after every check that may refuse and before anything happens. */
import { fail } from "../../core/errors.ts";
import { type Operation, priceUnits, shownPrice } from "../../core/prices.ts";
import type { ApiParts } from "../deps.ts";

/** How a request was paid for. */
export type Payment = { method: "free" };

/**
 * Takes the price of an operation. In the free phase every price is 0 and nothing is asked for.
 * @throws Failure payment_required
 */
export function takePayment({ config }: ApiParts, operation: Operation): Payment {
  const { phase } = config.pricing;
  if (priceUnits(operation, phase) === 0n) return { method: "free" };
  return fail("payment_required", `This operation costs ${shownPrice(operation, phase)} USDC.`, {
    extra: { price: shownPrice(operation, phase), currency: "USDC" },
  });
}
