/** The lease of a payment: the process that works on a payment renews it; after a crash it expires and another takes over. */
import type { Lease } from "../../db/payments/ledger.ts";
import { renewLease } from "../../db/payments/payment-leases.ts";
import type { PaymentService } from "./payment-service.ts";

/** Milliseconds a lease lasts without renewal; a retry after a crash waits at most this long. */
export const LEASE_MS = 5_000;
const RENEW_MS = 1_500;

/** Renews a payment's lease while `work` runs. */
export async function withLease<T>(service: PaymentService, lease: Lease, work: () => Promise<T>): Promise<T> {
  const release = keepLease(service, lease);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Renews a payment's lease until the function it returns is called. */
export function keepLease({ db }: Pick<PaymentService, "db">, { payment, leaseId }: Lease): () => void {
  const who = { paymentId: payment.paymentId, leaseId };
  const timer = setInterval(() => void renewLease(db, who, LEASE_MS).catch(() => {}), RENEW_MS);
  return () => clearInterval(timer);
}
