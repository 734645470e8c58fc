/** What operators see in addition to the public status: the tables that the metrics count, the ledger of a day, and failing webhooks. */
import type pg from "pg";
import {
  type EventWork,
  eventWork,
  type OpenWork,
  openWork,
  type PaymentsOfDay,
  paymentsOfDay,
  stateTotals,
  type Totals,
} from "../../db/operations/service-counts.ts";
import { type FailingWebhook, failingWebhooks } from "../../db/webhooks/failing.ts";
import { sharedFor } from "./shared-answers.ts";

export type OperatorState = {
  open: OpenWork;
  events: EventWork;
  totals: Totals;
  day: PaymentsOfDay[];
  failing: FailingWebhook[];
};

/** Milliseconds for which one reading serves all requests: the same as of the metrics. */
const OPEN_MS = 5_000;
const TOTALS_MS = 60_000;
const MAX_FAILING = 50;

/** @returns reads at most as often as the metrics do */
export function operatorStateReader(db: pg.Pool): () => Promise<OperatorState> {
  const totals = sharedFor(() => Promise.all([stateTotals(db), paymentsOfDay(db)]), TOTALS_MS);
  return sharedFor(async () => {
    const [open, events, failing, [all, day]] = await Promise.all([
      openWork(db),
      eventWork(db),
      failingWebhooks(db, { limit: MAX_FAILING }),
      totals(),
    ]);
    return { open, events, failing, totals: all, day };
  }, OPEN_MS);
}
