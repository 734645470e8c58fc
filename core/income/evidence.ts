/** What payments to an agent and jobs of it have in common: each is judged by whose money it was, and summed in windows. */
import type { MoneyFacts } from "./facts.ts";
import { moneyOf, type Paid, type Removal } from "./money.ts";
import { WINDOWS } from "./rules.ts";

type MoneyRule = NonNullable<
  ReturnType<ReturnType<typeof moneyOf>["removals"]> extends Map<unknown, infer R> ? R : never
>["rule"];
/** The cluster of a payer: with others, or alone. */
export type ClusterOf = (payer: string) => string;
/** An item with why it is removed; null where it is organic. */
export type Judged<Item, Rule> = Item & { removed: Removal<Rule> | null };

/**
 * What there is of an agent without the limit of what is weighed one by one. `raw`: sums of all, of each window. `rest`: sums of
 * what is not weighed, of each window, with what its own rule follows from.
 */
export type Totals<Sums, Removed, Like> = {
  raw: readonly (Sums & { days: number })[];
  rest: readonly (Removed & Like & { days: number })[];
};

/** The sums of a window, and of what is not organic by rule, in the order of the table. */
export type Window<Sums, Removed, Rule> = {
  days: number;
  raw: Sums;
  organic: Sums;
  removed: (Removed & { rule: Rule })[];
};

/**
 * Judges items by their own rule, then by the money that their payers were given; what is left counts unless all of it is of
 * one cluster.
 * @param items in the order of the chain
 * @param of.own the rule that holds without what is known of the payer's money; null for none
 * @param of.alone the rule of what is left where it is of one cluster
 */
export function judge<Item extends object, Rule extends string>(
  facts: MoneyFacts,
  items: readonly Item[],
  of: { paid(item: Item): Paid; own(item: Item): Rule | null; alone: Rule },
): { judged: Judged<Item, Rule | MoneyRule>[]; clusterOf: ClusterOf } {
  const money = moneyOf(facts);
  const given = items.map((item) => ({ item, rule: of.own(item), ...of.paid(item) }));
  const byMoney = money.removals(given.filter(({ rule }) => rule === null));
  const weighed = given.map((one) => {
    const removed: Removal<Rule | MoneyRule> | null = one.rule ? { rule: one.rule, through: null } : byMoney.get(one)!;
    return { ...one, removed };
  });
  const left = weighed.filter(({ removed }) => removed === null);
  const clusterOf = money.clusters(
    given.map(({ payer }) => payer),
    left.filter(({ cameBack }) => !cameBack),
  );
  const alone =
    new Set(left.map(({ payer }) => clusterOf(payer))).size === 1 ? { rule: of.alone, through: null } : null;
  return { judged: weighed.map(({ item, removed }) => ({ ...item, removed: removed ?? alone })), clusterOf };
}

/**
 * Raw, organic and removed sums of each window. Raw is organic and all that is removed.
 * @param of.totals of all that there is; undefined where all is among the items
 */
export function windowsOf<Item, Rule extends string, Sums extends object, Removed extends object, Like>(
  items: readonly Judged<Item, Rule>[],
  of: {
    /** Unix seconds. */
    now: number;
    /** In the order in which they are shown. */
    rules: readonly { key: Rule }[];
    clusterOf: ClusterOf;
    isIn(item: Item, since: number): boolean;
    sums(items: readonly Judged<Item, Rule>[], since: number, clusterOf: ClusterOf): Sums;
    removed(sums: Sums | Removed): Removed;
    totals: Totals<Sums, Removed, Like> | undefined;
    /** The rule of what is not weighed. */
    unweighed(like: Like): Rule;
  },
) {
  return WINDOWS.map((days) => {
    const since = of.now - days * 86_400;
    const byRule = Map.groupBy(
      items.filter((one) => of.isIn(one, since)),
      ({ removed }) => removed?.rule,
    );
    const all = [...byRule.values()].flat();
    const { days: _, ...raw } = of.totals?.raw.find((one) => one.days === days) ?? { days };
    return {
      days,
      raw: { ...of.sums(all, since, (payer) => payer), ...raw },
      organic: of.sums(byRule.get(undefined) ?? [], since, of.clusterOf),
      removed: of.rules.flatMap(({ key: rule }) => {
        const sums = (of.totals?.rest ?? [])
          .filter((rest) => rest.days === days && of.unweighed(rest) === rule)
          .map(of.removed);
        if (byRule.has(rule)) sums.push(of.removed(of.sums(byRule.get(rule)!, since, of.clusterOf)));
        return sums.length === 0 ? [] : [{ rule, ...sums.reduce(added) }];
      }),
    };
  });
}

/** Sums, member by member. */
const added = <Sums extends object>(a: Sums, b: Sums): Sums =>
  Object.fromEntries(Object.entries(a).map(([key, value]) => [key, value + b[key as keyof Sums]])) as Sums;
