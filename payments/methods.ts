/** The list of payment methods. A payment method is a file in methods/ and a line here; the 402, the reading of headers, the ledger's entry, settlement and the sweep go over the list. */
import type { PaymentMethod } from "./methods/method.ts";
import { mpp } from "./methods/mpp.ts";
import { transfer } from "./methods/transfer.ts";
import { x402 } from "./methods/x402.ts";

/** Payment methods in the order in which a 402 names them. */
export const PAYMENT_METHODS: readonly PaymentMethod[] = [x402, mpp, transfer];

/** The way by which a payment was made; undefined for one that is not in the list any more. */
export const methodOf = (
  { methods }: { methods: readonly PaymentMethod[] },
  { method }: { method: string },
): PaymentMethod | undefined => methods.find(({ key }) => key === method);
