/** Raw and organic income of an agent side by side: which of the payments to its wallet are somebody else's money, and why the others are not. */
import { PUBLIC_SENT } from "../reviews/rules.ts";
import type { Funding, IncomeFacts, ReceivedPayment } from "./facts.ts";
import { DUST_UNITS, INCOME_RULES_VERSION, REMOVED, type RemovedKey, WINDOWS } from "./rules.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** Why a payment is removed. */
type Removal = {
  rule: RemovedKey;
  /** The account that stands between the agent's side and the payer; null where nothing does. */
  through: string | null;
};
export type WeighedPayment = ReceivedPayment & { removed: Removal | null };

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
 * one account between. Accounts that serve the public (core/reviews/rules.ts) and contracts stand between everybody, so they connect
 * nobody. What is left counts unless all of it is of one payer; payers whose money had one source are one.
 * @param now Unix seconds
 */
export function weighIncome(given: IncomeFacts, now: number): { figures: IncomeFigures; payments: WeighedPayment[] } {
  // USDC that is minted, as by bridges, comes from the zero address: like a contract it connects nobody.
  const facts = { ...given, accounts: new Map(given.accounts).set(ZERO_ADDRESS, null) };
  const isOurs = sideOf(facts);
  const voiceOf = voicesOf(facts, isOurs);
  const weighed = removals(facts, isOurs);
  const left = weighed.filter(({ removed }) => removed === null);
  const alone = new Set(left.map(({ payer }) => voiceOf(payer))).size === 1;
  const payments = weighed.map((one) => ({
    ...one,
    removed: one.removed ?? (alone ? { rule: "one_payer" as const, through: null } : null),
  }));
  const windows = WINDOWS.map((days) => windowOf(payments, { days, since: now - days * 86_400, voiceOf }));
  return { figures: { rules: INCOME_RULES_VERSION, windows }, payments };
}

/** Whether an address is of the agent's side. */
function sideOf({ wallet, owner, group }: IncomeFacts): (address: string) => boolean {
  const side = new Set([wallet, owner, ...group]);
  return (address) => side.has(address);
}

/** The payments, newest first, with what removes each by itself. */
function removals(facts: IncomeFacts, isOurs: (address: string) => boolean): WeighedPayment[] {
  const funding = Map.groupBy(facts.funding, ({ payer }) => payer);
  const elsewhere = Map.groupBy(facts.elsewhere, ({ payer }) => payer);
  const weighed = [...Map.groupBy(facts.payments, ({ payer }) => payer)].flatMap(([payer, payments]) => {
    if (isOurs(payer)) {
      const isSelf = payer === facts.wallet || payer === facts.owner;
      const rule = isSelf ? ("self" as const) : ("own_group" as const);
      return payments.map((one) => ({ ...one, removed: { rule, through: null } }));
    }
    const inOrder = payments.toSorted((a, b) => byPlace(b, a));
    const known = (funding.get(payer) ?? []).toSorted((a, b) => a.at - b.at);
    const all = [...inOrder, ...(elsewhere.get(payer) ?? [])].sort((a, b) => a.at - b.at);
    const { refunded, others } = refundsOf(all, known, isOurs);
    const flows = flowsOf(facts, others, { isOurs, paid: unitsOf(payments) });
    const unread = !facts.read.has(payer) || flows.unread;
    return inOrder.map((one) => ({
      ...one,
      removed: removalOf(one, { isRefunded: refunded.has(one), flows, unread }),
    }));
  });
  return weighed.sort(byPlace);
}

/** The later in the chain first. */
const byPlace = (a: ReceivedPayment, b: ReceivedPayment) => b.block - a.block || b.logIndex - a.logIndex;

/** How money of the side came to a payer: when first, and through whom. */
type Flows = { first: { at: number; through: string | null } | null; unread: boolean };

function removalOf(
  { units, at }: ReceivedPayment,
  { isRefunded, flows: { first }, unread }: { isRefunded: boolean; flows: Flows; unread: boolean },
): Removal | null {
  if (units < DUST_UNITS) return { rule: "dust", through: null };
  if (isRefunded) return { rule: "refunded", through: null };
  if (first) return { rule: first.at <= at ? "self_funded" : "circular", through: first.through };
  return unread ? { rule: "unread", through: null } : null;
}

type Paid = IncomeFacts["elsewhere"][number];

/**
 * Payments that were given back: the side sent the payer the same amount afterwards. Each transfer gives back one, the latest
 * before it that was not.
 * @param payments to all wallets of the side, the earliest first @param known the earliest first
 */
function refundsOf(payments: readonly Paid[], known: readonly Funding[], isOurs: (a: string) => boolean) {
  const refunded = new Set<Paid>();
  const open = new Map<bigint, Paid[]>();
  const others: Funding[] = [];
  let next = 0;
  for (const one of known) {
    for (; next < payments.length && payments[next]!.at <= one.at; next++) {
      const alike = open.get(payments[next]!.units);
      if (alike) alike.push(payments[next]!);
      else open.set(payments[next]!.units, [payments[next]!]);
    }
    const given = isOurs(one.source) ? open.get(one.units)?.pop() : undefined;
    if (given) refunded.add(given);
    else others.push(one);
  }
  return { refunded, others };
}

/**
 * How money of the side came to a payer. With an account between it counts from half of what was paid on: a little money
 * that somebody in between sends to strangers takes nothing from the agent.
 * @param known transfers to the payer, the earliest first, without refunds
 */
function flowsOf(
  { sent, accounts }: IncomeFacts,
  known: readonly Funding[],
  { isOurs, paid }: { isOurs: (address: string) => boolean; paid: bigint },
): Flows {
  const direct = known.find(({ source }) => isOurs(source));
  if (direct) return { first: { at: direct.at, through: null }, unread: false };
  const between = known.filter(({ source, at }) => (sent.get(source) ?? Number.POSITIVE_INFINITY) <= at);
  const hops = between.filter(({ source }) => isPrivate(accounts.get(source)));
  const enough = (some: readonly Funding[]) => 2n * unitsOf(some) >= paid;
  if (hops.length > 0 && enough(hops)) return { first: { at: hops[0]!.at, through: hops[0]!.source }, unread: false };
  const open = between.filter(
    ({ source }) => accounts.get(source) === undefined || hops.some((one) => one.source === source),
  );
  return { first: null, unread: open.length > hops.length && enough(open) };
}

/** Whether an account is somebody's own: no contract, and not one that serves the public. */
const isPrivate = (sent: number | null | undefined): boolean => typeof sent === "number" && sent < PUBLIC_SENT;

/**
 * Payers are one voice, its least address, when one account gave each of them half of its money, or one gave it to the other.
 * An account that is not looked at yet is taken for somebody's own.
 */
function voicesOf(
  { payments, funding, accounts }: IncomeFacts,
  isOurs: (address: string) => boolean,
): (payer: string) => string {
  const payers = new Set(payments.map(({ payer }) => payer));
  const parents = new Map<string, string>();
  const rootOf = (address: string): string => {
    let at = address;
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) {
      const next = parents.get(up);
      // Every walk halves the way of the next.
      if (next !== undefined) parents.set(at, next);
      at = up;
    }
    return at;
  };
  for (const [payer, all] of Map.groupBy(funding, (one) => one.payer)) {
    if (!payers.has(payer)) continue;
    const total = unitsOf(all);
    for (const [source, some] of Map.groupBy(all, (one) => one.source)) {
      const binds = payers.has(source) || !accounts.has(source) || isPrivate(accounts.get(source));
      if (isOurs(source) || !binds || 2n * unitsOf(some) < total) continue;
      const [least, most] = [rootOf(payer), rootOf(source)].sort() as [string, string];
      if (least !== most) parents.set(most, least);
    }
  }
  return rootOf;
}

const unitsOf = (some: readonly { units: bigint }[]): bigint => some.reduce((sum, { units }) => sum + units, 0n);

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
