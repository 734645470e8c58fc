/** Payments that were sold for before their transfer had its confirmations: how much may be at risk by them. */
import type pg from "pg";
import { lockText } from "../sql/locks.ts";
import { statement, t } from "../sql/statement.ts";
import { transaction } from "../sql/transaction.ts";
import { type Lease, move, ownTransfer, type PaidPayment, settled } from "./ledger.ts";
import type { Payment, Settlement } from "./payments.ts";

/** A payment that was lost counts for a day: an operator sees it, and what causes it is bounded meanwhile. */
const AT_RISK = `early_at is not null and (state <> 'lost' or updated_at > clock_timestamp() - interval '1 day')`;

const EARLY_UNITS = statement({
  name: "payments-early-units",
  text: `select coalesce(sum(amount_units), 0)::numeric as units from offchain.payment where ${AT_RISK}`,
  columns: { units: t.uint256 },
});

/**
 * Records where the money is about to move, and that it was sold for before that was certain.
 * Check then write: the USDC at risk is below the limit, then `paid` with `early_at`; other payments may be accepted
 * early: advisory lock `early-payments`, sum and write in one transaction, under lease and state.
 * @param limitUnits units of USDC that may be at risk, this payment included
 * @returns `over` when they would be more, then nothing is changed; null as `recordPaid`
 */
export const recordEarly = (
  db: pg.Pool,
  { payment, leaseId }: Lease,
  at: Settlement,
  limitUnits: bigint,
): Promise<Payment | "over" | null> =>
  transaction(db, async (tx) => {
    // One after the other: each counts those before it.
    await lockText(tx, "early-payments");
    const { units } = await EARLY_UNITS.one(tx);
    if (units + payment.amountUnits > limitUnits) return "over";
    if (!(await ownTransfer(tx, payment satisfies PaidPayment, at))) return null;
    const who = { paymentId: payment.paymentId, leaseId };
    return move(tx, who, "paid", ["new", "settling"], { ...settled(at), early_at: new Date() });
  });
