/** Collects the payment of a request: a signed authorization, a transaction, an answered challenge, or a credit. */
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { collectCredit } from "./credit.ts";
import { collectMpp } from "./mpp.ts";
import { refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import type { CollectedPayment } from "./resume.ts";
import { collectTransfer } from "./transfer.ts";
import { collectX402 } from "./x402.ts";

export type { CollectedPayment };

/** @throws Failure payment_required, payment_pending, payment_already_used, request_in_progress; ReplayedAnswer */
export async function collectPayment(
  service: PaymentService,
  checkout: OpenCheckout,
  options: SettleOptions,
): Promise<CollectedPayment> {
  const { given } = checkout;
  if (given === null) return (await collectCredit(service, checkout, options)) ?? refuse(checkout);
  switch (given.kind) {
    case "x402":
      return collectX402(service, checkout, given, options);
    case "transfer":
      return collectTransfer(service, checkout, given.hash, options);
    case "mpp":
      return collectMpp(service, checkout, given.answer, options);
  }
}
