/** Collects the payment of a request: a signed authorization, a transaction, an answered challenge, or a credit. */
import { collectChallenged } from "./challenge.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { collectCredit } from "./credit.ts";
import { refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import type { CollectedPayment } from "./resume.ts";
import { collectSigned } from "./signed.ts";
import { collectTransaction } from "./transfer.ts";

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
    case "signed":
      return collectSigned(service, checkout, given, options);
    case "transaction":
      return collectTransaction(service, checkout, given.hash, options);
    case "challenged":
      return collectChallenged(service, checkout, given.answer, options);
  }
}
