/** Whose money an agent was paid, in a payment or in a job: what the transfers to the payer show. */
import { ZERO_ADDRESS } from "../addresses.ts";
import { isPrivate, PUBLIC_SENT } from "../public-parties.ts";
import type { Funding, MoneyFacts } from "./facts.ts";
import { type Loop, loopsOf } from "./loops.ts";

/**
 * What an agent was paid. @param block up to which the payer's money has to be read @param txHash where it was paid in one
 * @param cameBack by itself, as out of an escrow
 */
export type Paid = { payer: string; units: bigint; at: number; block: number; txHash?: string; cameBack?: boolean };

type MoneyRule = "own_group" | "refunded" | "self_funded" | "circular" | "unread";
/** Why something is removed. */
export type Removal<Rule> = {
  rule: Rule;
  /** The account between the agent's side and the payer; null where the money went directly. */
  through: string | null;
};

/**
 * What follows about payers from the money that they were given. Accounts that serve the public (core/public-parties.ts) and
 * contracts have transfers with everybody, so a transfer with them connects no accounts; only money that the side put into a
 * contract and that a payer got within a minute is one flow.
 */
export function moneyOf(given: MoneyFacts) {
  // USDC that is minted, as by bridges, comes from the zero address.
  const facts = { ...given, accounts: new Map(given.accounts).set(ZERO_ADDRESS, PUBLIC_SENT) };
  const isOurs = sideOf(facts);
  return {
    isOurs,
    /** The rule by which an account is of the agent's own side; null for others. */
    ownRule: (address: string): "self" | "own_group" | null =>
      !isOurs(address) ? null : address === facts.wallet || address === facts.owner ? "self" : "own_group",
    /** Why payments by others than the agent's side, in the order of the chain, are removed by the money that the payers were given. */
    removals: <P extends Paid>(payments: readonly P[]): Map<P, Removal<MoneyRule> | null> =>
      removalsOf(facts, payments, isOurs),
    /** The cluster of each payer: with others, or alone. @param kept what of their payments is not removed and did not come back */
    clusters: (payers: Iterable<string>, kept: readonly Pick<Paid, "payer" | "units">[]) =>
      clustersOf(facts, { payers: new Set(payers), kept: Map.groupBy(kept, ({ payer }) => payer), isOurs }),
  };
}

/** Whether an address is of the agent's side. */
function sideOf({ wallet, owner, group }: MoneyFacts): (address: string) => boolean {
  const side = new Set([wallet, owner, ...group]);
  return (address) => side.has(address);
}

function removalsOf<P extends Paid>(facts: MoneyFacts, payments: readonly P[], isOurs: (address: string) => boolean) {
  const funding = Map.groupBy(facts.funding, ({ payer }) => payer);
  const elsewhere = Map.groupBy(facts.elsewhere, ({ payer }) => payer);
  const loops = Map.groupBy(
    loopsOf(facts.near, (address) => {
      const sent = facts.accounts.get(address);
      return sent === undefined ? undefined : sent !== null && !isPrivate(sent);
    }),
    ({ payer }) => payer,
  );
  const found = new Map<P, Removal<MoneyRule> | null>();
  for (const [payer, own] of Map.groupBy(payments, (one) => one.payer)) {
    const known = (funding.get(payer) ?? []).toSorted((a, b) => a.at - b.at);
    const kept = own.filter(({ cameBack }) => !cameBack);
    const all = [...kept, ...(elsewhere.get(payer) ?? [])].sort((a, b) => a.at - b.at);
    const { refunded, others } = refundsOf(all, known, isOurs);
    const looped = loops.get(payer) ?? [];
    const { first, unread } = flowsOf(facts, others, {
      ...{ isOurs, loops: looped },
      paid: unitsOf(kept.length > 0 ? kept : own),
    });
    const atOnce = loopedAtOnce(own, looped);
    const [formerTo, readTo] = [facts.former.get(payer) ?? -1, facts.read.get(payer) ?? -1];
    const covers = first && coverOf(first.units);
    const since = first?.at ?? 0;
    // From when the money came on, then before: what is covered is what may have been paid with it.
    for (const one of [...own.filter(({ at }) => at >= since), ...own.filter(({ at }) => at < since)]) {
      if (one.at <= formerTo) found.set(one, { rule: "own_group", through: null });
      else if (refunded.has(one)) found.set(one, { rule: "refunded", through: null });
      else if (covers?.(one))
        found.set(one, { rule: since <= one.at ? "self_funded" : "circular", through: first!.through });
      else if (atOnce.get(one)?.isRead) found.set(one, { rule: "self_funded", through: atOnce.get(one)!.source });
      else
        found.set(
          one,
          facts.near.partly.has(payer) || unread || atOnce.has(one) || readTo < one.block
            ? { rule: "unread", through: null }
            : null,
        );
    }
  }
  return found;
}

/**
 * Whether money of the side covers payments, asked in the order in which it does: no more than there is of it, so who sends
 * payers money of the side, to remove what they paid, gives as much away. A payment is covered from its half on.
 */
function coverOf(units: bigint): (one: Paid) => boolean {
  let left = units;
  return (one) => {
    if (one.cameBack) return true;
    if (left <= 0n || 2n * left < one.units) return false;
    left -= one.units;
    return true;
  };
}

/** Payments of a payer of which at least half came out of the side in the payment's own transaction, each with the first such transfer. */
function loopedAtOnce<P extends Paid>(payments: readonly P[], loops: readonly Loop[]): Map<P, Loop> {
  const found = new Map<P, Loop>();
  const inOne = Map.groupBy(loops, ({ txHash }) => txHash);
  for (const [txHash, paid] of Map.groupBy(payments, (one) => one.txHash ?? null)) {
    const some = (txHash !== null && inOne.get(txHash)) || [];
    const read = some.filter(({ isRead }) => isRead);
    const enough = [read, some].find((of) => of.length > 0 && 2n * unitsOf(of) >= unitsOf(paid));
    if (enough) for (const one of paid) found.set(one, enough.find(({ isRead }) => isRead === (enough === read))!);
  }
  return found;
}

/** How money of the side came to a payer: when first, through whom, and how much. */
type Flows = { first: { at: number; through: string | null; units: bigint } | null; unread: boolean };

type Given = MoneyFacts["elsewhere"][number];

/**
 * Payments that were given back: the side sent the payer the same amount afterwards. Each transfer gives back one, the latest
 * before it that was not.
 * @param payments to all wallets of the side, the earliest first @param known the earliest first
 */
function refundsOf(payments: readonly Given[], known: readonly Funding[], isOurs: (a: string) => boolean) {
  const refunded = new Set<Given>();
  const open = new Map<bigint, Given[]>();
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
 * How money of the agent's side came to a payer. Through another account it counts only if it is half of what was paid, or
 * more, and no more of it than the side put into that account: a stranger with a little money of the side could send much to
 * payers, or be the account that many of them have their money of, and so remove what they paid. The half is needed of money of
 * the owner's other agents too. A contract or a market connects only what went through it at that time (`loopsOf`).
 * @param known transfers to the payer, the earliest first, without refunds
 */
function flowsOf(
  { wallet, owner, sent, accounts }: MoneyFacts,
  known: readonly Funding[],
  { isOurs, paid, loops }: { isOurs: (address: string) => boolean; paid: bigint; loops: readonly Loop[] },
): Flows {
  const isDirect = ({ source }: Funding) => source === wallet || source === owner;
  const hadBefore = ({ source, at }: Funding) => (sent.get(source)?.at ?? Number.POSITIVE_INFINITY) <= at;
  const isHop = (one: Funding) => isOurs(one.source) || (hadBefore(one) && isPrivate(accounts.get(one.source)));
  const others = loops.filter((one) => !isHop(one));
  const putIn = new Map([...sent].map(([source, { units }]) => [source, units]));
  /** Of a transfer no more than is left of what the side put into its source. */
  const ofSide = (one: Funding): Funding => {
    if (isOurs(one.source)) return one;
    const left = putIn.get(one.source) ?? 0n;
    const units = one.units < left ? one.units : left;
    putIn.set(one.source, left - units);
    return { ...one, units };
  };
  const direct = known.filter(isDirect);
  const hops = known.filter((one) => !isDirect(one) && isHop(one)).map(ofSide);
  const through = [...hops, ...others.filter(({ isRead }) => isRead)];
  const enough = (some: readonly Funding[]) => 2n * unitsOf(some) >= paid;
  const isEnough = through.length > 0 && enough([...direct, ...through]);
  const counted = (isEnough ? [...direct, ...through] : direct).toSorted((a, b) => a.at - b.at);
  if (counted.length > 0) {
    const [one] = counted as [Funding];
    const first = { at: one.at, through: isDirect(one) ? null : one.source, units: unitsOf(counted) };
    return { first, unread: false };
  }
  const open = [
    ...known
      .filter((one) => !isOurs(one.source) && hadBefore(one) && accounts.get(one.source) === undefined)
      .map(ofSide),
    ...others.filter(({ isRead }) => !isRead),
  ];
  return { first: null, unread: open.length > 0 && enough([...through, ...open]) };
}

/**
 * Payers are one cluster, named by its least address, when one account gave each of them half of its money, or one gave it to the other:
 * half of what others than the side gave it, since a refund is no new money, and half of what it paid, since anybody can send
 * a cent to an account without other new money. An account that is not read yet counts as private.
 */
function clustersOf(
  { funding, accounts }: MoneyFacts,
  of: {
    payers: ReadonlySet<string>;
    kept: ReadonlyMap<string, readonly { units: bigint }[]>;
    isOurs: (address: string) => boolean;
  },
): (payer: string) => string {
  const { payers, kept, isOurs } = of;
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
    const given = all.filter(({ source }) => !isOurs(source));
    const [total, paid] = [unitsOf(given), unitsOf(kept.get(payer) ?? [])];
    for (const [source, some] of Map.groupBy(given, (one) => one.source)) {
      const binds = payers.has(source) || !accounts.has(source) || isPrivate(accounts.get(source));
      const doubled = 2n * unitsOf(some);
      if (!binds || doubled < total || doubled < paid) continue;
      const [least, most] = [rootOf(payer), rootOf(source)].sort() as [string, string];
      if (least !== most) parents.set(most, least);
    }
  }
  return rootOf;
}

/** Money in units of USDC. */
export const unitsOf = (some: readonly { units: bigint }[]): bigint => some.reduce((sum, { units }) => sum + units, 0n);
