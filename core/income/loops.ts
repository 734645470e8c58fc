/** Money that an agent's side sends out and that comes to a payer: in one transaction, or through one account within a minute. */
import { ZERO_ADDRESS } from "../addresses.ts";
import type { Funding, NearMoney, Route } from "./facts.ts";

/**
 * Blocks within which money that the side put into an account, and money that a payer got from it, are one flow: a minute on
 * Base. Nobody gets more money out of a contract than it has, so a loop without this limit needs its whole sum, for as long.
 * In an hour an agent that trades and its customers would use the same exchange by chance.
 */
export const LOOP_BLOCKS = 30;
/** An account that gave payers less than this part of what the side put into it in that time is a market. */
const MARKET_SHARE = 10n;

/** The part of a transfer to a payer that is the side's money. */
export type Loop = Funding & {
  /** The transaction, where the side's money went out in the same one; else null. */
  txHash: string | null;
  /** False where it is not known yet whether it is the side's. */
  isRead: boolean;
};

type Put = NearMoney["put"][number];
type Given = NearMoney["given"][number];

/**
 * What payers had of the side's money: no more than the side put in, for each payer by itself, so that no other transfers, which
 * may go back where they came from, stand for those of a payer. Puts of the transfer's own transaction count first, then the
 * earliest. In one transaction the accounts in between may be of any number and kind, and order does not matter; else there is
 * one. Time: linear in the transfers, for each payer in the puts of its transactions.
 * @param servesPublic whether an account is everybody's; undefined where it is not read yet
 */
export function loopsOf(near: NearMoney, servesPublic: (address: string) => boolean | undefined): Loop[] {
  const [given, put] = [inOrder(near.given), inOrder(near.put)];
  const sentIn = new Map(
    [...Map.groupBy(put, ({ txHash }) => txHash)].map(([txHash, puts]) => [
      txHash,
      { puts, sum: sumOf(puts), isReached: reachedFrom(puts, near.routes.get(txHash)) },
    ]),
  );
  const putsTo = Map.groupBy(put, ({ recipient }) => recipient);
  const connects = new Map<string, boolean | undefined>();
  for (const [source, own] of Map.groupBy(given, (one) => one.source)) {
    const isPublic = servesPublic(source);
    const isMarket = isPublic || MARKET_SHARE * sumOf(own) < sumOf(nearOf(putsTo.get(source) ?? [], own));
    connects.set(source, isMarket ? false : isPublic === false || undefined);
  }
  return [...Map.groupBy(given, ({ payer }) => payer).values()].flatMap((own) => {
    const loops: Loop[] = [];
    const found = ({ payer, source, at }: Given, units: bigint, of: Pick<Loop, "txHash" | "isRead">) => {
      if (units > 0n) loops.push({ payer, source, units, at, ...of });
    };
    const left = new Map<Put, bigint>();
    const rest = new Map<Given, bigint>();
    for (const [txHash, some] of Map.groupBy(own, (one) => one.txHash)) {
      const sent = sentIn.get(txHash);
      const draw = drawFrom(sent?.puts ?? [], left);
      for (const one of some) {
        const isReached = sent?.isReached(one.source);
        const units = isReached ? draw(one.units) : 0n;
        found(one, units, { txHash, isRead: true });
        if (sent && isReached === undefined) found(one, least(one.units, sent.sum), { txHash, isRead: false });
        rest.set(one, one.units - units);
      }
    }
    for (const [source, some] of Map.groupBy(own, (one) => one.source)) {
      const isRead = connects.get(source);
      if (isRead === false) continue;
      const draw = drawFrom(putsTo.get(source) ?? [], left, some[0]!.block);
      for (const one of some) found(one, draw(rest.get(one)!, one.block), { txHash: null, isRead: isRead === true });
    }
    return loops;
  });
}

const inOrder = <T extends { block: number }>(some: readonly T[]) => some.toSorted((a, b) => a.block - b.block);
const least = (...some: [bigint, bigint]): bigint => some.sort((a, b) => (a < b ? -1 : 1))[0]!;
const sumOf = (some: readonly { units: bigint }[]) => some.reduce((sum, { units }) => sum + units, 0n);

/**
 * Takes money from puts, the earliest first, for transfers in the order of the chain.
 * @param left what is left of each put of which was taken @param from block of the first transfer
 * @returns what it took, at most `wanted`; where a block is given, of puts near it
 */
function drawFrom(
  puts: readonly Put[],
  left: Map<Put, bigint>,
  from?: number,
): (wanted: bigint, block?: number) => bigint {
  const leftOf = (one: Put) => left.get(one) ?? one.units;
  let next = from === undefined ? 0 : firstIndexWhere(puts, ({ block }) => block >= from - LOOP_BLOCKS);
  return (wanted, block) => {
    const isPast = (one: Put) => leftOf(one) === 0n || (block !== undefined && one.block < block - LOOP_BLOCKS);
    while (next < puts.length && isPast(puts[next]!)) next++;
    let taken = 0n;
    for (let i = next; i < puts.length && taken < wanted; i++) {
      const one = puts[i]!;
      if (block !== undefined && one.block > block + LOOP_BLOCKS) break;
      const part = least(leftOf(one), wanted - taken);
      left.set(one, leftOf(one) - part);
      taken += part;
    }
    return taken;
  };
}

/** The index of the first item from which on a condition holds; the length where it holds nowhere. */
function firstIndexWhere<T>(some: readonly T[], holds: (one: T) => boolean): number {
  let [low, high] = [0, some.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(some[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Puts within the blocks of a transfer. Both in the order of the chain. */
function nearOf(puts: readonly Put[], given: readonly Given[]): Put[] {
  let next = 0;
  return puts.filter(({ block }) => {
    while (next < given.length && given[next]!.block < block - LOOP_BLOCKS) next++;
    return next < given.length && given[next]!.block <= block + LOOP_BLOCKS;
  });
}

/**
 * Whether money that was put somewhere in a transaction can have come to an account in it.
 * @param route who sent to whom in it; undefined where it is not read yet: then accounts in between are not known
 */
function reachedFrom(puts: readonly Put[], route: Route | undefined) {
  const reached = new Set(puts.map(({ recipient }) => recipient));
  const ways = Map.groupBy(route ?? [], ([from]) => from);
  // USDC that is minted or burnt, as by bridges, comes from it or goes to it.
  reached.delete(ZERO_ADDRESS);
  for (const account of reached) for (const [, to] of ways.get(account) ?? []) if (to !== ZERO_ADDRESS) reached.add(to);
  return (account: string): boolean | undefined => reached.has(account) || (route === undefined ? undefined : false);
}
