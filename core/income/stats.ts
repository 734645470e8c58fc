/** Raw and organic income of an agent: which payments to its wallet are other people's money, and why the rest does not count. */
import { type ClusterOf, type Judged, judge, type Totals, type Window, windowsOf } from "./evidence.ts";
import type { IncomeFacts, ReceivedPayment } from "./facts.ts";
import { moneyOf, unitsOf } from "./money.ts";
import { DUST_UNITS, INCOME_RULES_VERSION, MATURE_SECONDS, MAX_CLUSTERS, REMOVED, type RemovedKey } from "./rules.ts";

/** Money in units of USDC. */
type Sum = { payments: number; units: bigint };
type Income = Sum & {
  payers: number;
  /** Payers that paid more than once. */
  repeatPayers: number;
};
/** Of what is not weighed, `payer` is one of the agent's side, or empty. */
export type IncomeTotals = Totals<Income, Sum, { payer: string; isDust: boolean }>;
export type IncomeWindow = Window<Income, Sum, RemovedKey> & { raw: { refunds: Sum } };
/** `voices`: what each independent payer has paid that is mature, the largest sums first. */
export type IncomeStats = { rules: number; windows: IncomeWindow[]; voices: bigint[] };

/**
 * Weighs the payments to one agent's wallet. A function of the facts and a clock value; their order does not matter.
 *
 * A payment counts once the money is shown not to come from the agent's side, and not to go back there, directly or through
 * others (core/income/money.ts). What is left counts unless all of it is of one payer; payers whose money had one source are
 * one.
 * @param now Unix seconds @param totals of all payments, at the same `now`; absent where the facts have all
 * @returns `payments`: the newest first
 */
export function computeIncome(
  facts: IncomeFacts,
  now: number,
  totals?: IncomeTotals,
): { figures: IncomeStats; payments: Judged<ReceivedPayment, RemovedKey>[] } {
  const inOrder = facts.payments.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  const { ownRule } = moneyOf(facts);
  const own = (payer: string, isDust: boolean): RemovedKey | null => ownRule(payer) ?? (isDust ? "dust" : null);
  const { judged, clusterOf } = judge(facts, inOrder, {
    paid: (payment) => payment,
    own: ({ payer, units }) => own(payer, units < DUST_UNITS),
    alone: "one_payer",
  });
  const windows = windowsOf(judged, {
    ...{ now, rules: REMOVED, clusterOf, totals },
    isIn: ({ at }, since) => at > since,
    sums: (payments, _, clusterOf) => incomeOf(payments, clusterOf),
    removed: ({ payments, units }): Sum => ({ payments, units }),
    unweighed: ({ payer, isDust }) => own(payer, isDust) ?? "beyond",
  }).map(({ raw, ...window }): IncomeWindow => {
    const { payments, units } = window.removed.find(({ rule }) => rule === "refunded") ?? { payments: 0, units: 0n };
    return { ...window, raw: { ...raw, refunds: { payments, units } } };
  });
  const mature = judged.filter(({ removed, at }) => removed === null && at <= now - MATURE_SECONDS);
  const voices = [...Map.groupBy(mature, ({ payer }) => clusterOf(payer)).values()]
    .map(unitsOf)
    .sort((a, b) => Number(b - a))
    .slice(0, MAX_CLUSTERS);
  return { figures: { rules: INCOME_RULES_VERSION, windows, voices }, payments: judged.reverse() };
}

function incomeOf(payments: readonly ReceivedPayment[], clusterOf: ClusterOf): Income {
  const clusters = Map.groupBy(payments, ({ payer }) => clusterOf(payer));
  return {
    payments: payments.length,
    units: unitsOf(payments),
    payers: clusters.size,
    repeatPayers: [...clusters.values()].filter(({ length }) => length > 1).length,
  };
}
