/** Raw and organic income of an agent: which payments to its wallet are other people's money, and why the rest does not count. */
import type { IncomeFacts, ReceivedPayment } from "./facts.ts";
import { moneyOf, type Removal, unitsOf } from "./money.ts";
import { DUST_UNITS, INCOME_RULES_VERSION, REMOVED, type RemovedKey, WINDOWS } from "./rules.ts";

export type WeighedPayment = ReceivedPayment & { removed: Removal<RemovedKey> | null };

/** Money in units of USDC. */
type Sum = { payments: number; units: bigint };
type Income = Sum & {
  payers: number;
  /** Payers that paid more than once. */
  repeatPayers: number;
};
export type IncomeWindow = {
  days: number;
  raw: Income & { refunds: Sum };
  organic: Income;
  /** What is removed, by rule, in the order of the table. */
  removed: (Sum & { rule: RemovedKey })[];
};
export type IncomeFigures = { rules: number; windows: IncomeWindow[] };

/**
 * Weighs the payments to one agent's wallet. A function of the facts and a clock value; their order does not matter.
 *
 * A payment counts once the money is shown not to come from the agent's side, and not to go back there: directly, or with
 * one account between. Accounts that serve the public (core/public-parties.ts) and contracts connect no accounts. What is left
 * counts unless all of it is of one payer; payers whose money had one source are one.
 * @param now Unix seconds
 */
export function weighIncome(facts: IncomeFacts, now: number): { figures: IncomeFigures; payments: WeighedPayment[] } {
  const money = moneyOf(facts);
  const weighed = removals(facts.payments, money);
  const left = weighed.filter(({ removed }) => removed === null);
  const voiceOf = money.voices(
    facts.payments.map(({ payer }) => payer),
    left,
  );
  const alone = new Set(left.map(({ payer }) => voiceOf(payer))).size === 1;
  const payments = weighed.map((one) => ({
    ...one,
    removed: one.removed ?? (alone ? { rule: "one_payer" as const, through: null } : null),
  }));
  const windows = WINDOWS.map((days) => windowOf(payments, { days, since: now - days * 86_400, voiceOf }));
  return { figures: { rules: INCOME_RULES_VERSION, windows }, payments };
}

/** The payments, newest first, with what removes each by itself. */
function removals(payments: readonly ReceivedPayment[], { ownRule, removals }: ReturnType<typeof moneyOf>) {
  const inOrder = payments.toSorted((a, b) => byPlace(b, a));
  const byMoney = removals(inOrder.filter(({ payer }) => ownRule(payer) === null));
  return inOrder
    .map((one): WeighedPayment => {
      const rule = ownRule(one.payer) ?? (one.units < DUST_UNITS ? ("dust" as const) : null);
      return { ...one, removed: rule ? { rule, through: null } : byMoney.get(one)! };
    })
    .reverse();
}

/** The later in the chain first. */
const byPlace = (a: ReceivedPayment, b: ReceivedPayment) => b.block - a.block || b.logIndex - a.logIndex;

function windowOf(
  payments: readonly WeighedPayment[],
  { days, since, voiceOf }: { days: number; since: number; voiceOf: (payer: string) => string },
): IncomeWindow {
  const all = payments.filter(({ at }) => at > since);
  const organic = all.filter(({ removed }) => removed === null);
  const byRule = Map.groupBy(all, ({ removed }) => removed?.rule);
  return {
    days,
    raw: { ...incomeOf(all, (payer) => payer), refunds: sumOf(byRule.get("refunded") ?? []) },
    organic: incomeOf(organic, voiceOf),
    removed: REMOVED.flatMap(({ key: rule }) => (byRule.has(rule) ? [{ rule, ...sumOf(byRule.get(rule)!) }] : [])),
  };
}

const sumOf = (payments: readonly ReceivedPayment[]): Sum => ({
  payments: payments.length,
  units: unitsOf(payments),
});

function incomeOf(payments: readonly ReceivedPayment[], voiceOf: (payer: string) => string): Income {
  const voices = Map.groupBy(payments, ({ payer }) => voiceOf(payer));
  return {
    ...sumOf(payments),
    payers: voices.size,
    repeatPayers: [...voices.values()].filter(({ length }) => length > 1).length,
  };
}
