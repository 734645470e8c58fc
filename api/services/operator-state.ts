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
import type { ApiDeps } from "../deps.ts";

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

/**
 * Answers that cost more than one request may cost: computed once, and shared by all requests within a short time.
 * Check then write: no request is under way, then its promise is kept; no await, and a failure is forgotten only while
 * the promise is still the same.
 */

/** Max age of a count in milliseconds, the same as of lists from memory. */
const COUNT_MS = 2_000;

/**
 * Counting a million agents takes a tenth of a second and more, so it is done at most once in two seconds and once for
 * each block: a count is never older than the block that the answer names.
 */
export const sharedCount = <T>(
  { db, index }: Pick<ApiDeps, "db" | "index">,
  count: (db: ApiDeps["db"]) => Promise<T>,
) =>
  sharedFor(
    () => count(db),
    COUNT_MS,
    () => index.block,
  );

/**
 * @param freshMs one answer serves all requests within this time
 * @param version an answer is outdated when this has grown
 * @returns computes at most once in that time; a failure is not remembered
 */
export function sharedFor<T>(compute: () => Promise<T>, freshMs: number, version = () => 0): () => Promise<T> {
  let last: { result: Promise<T>; version: number; at: number } | undefined;
  return () => {
    const at = performance.now();
    if (last && last.version >= version() && at - last.at < freshMs) return last.result;
    const computed = { result: compute(), version: version(), at };
    last = computed;
    computed.result.catch(() => {
      if (last === computed) last = undefined;
    });
    return computed.result;
  };
}
