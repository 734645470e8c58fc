/**
 * Fair shares of what all clients use together: how much one network may take, narrow or wide, and what is kept for
 * callers that are known. A known caller holds what others cannot make for themselves: an API key, or a good signature
 * of a deployed wallet.
 */

/** A network, and the number of clients that it may use as much as. */
export type Network = { name: string; clients: number };

/** The networks of one client: its own first, then the wider ones that one holder may have. */
export type Networks = readonly [own: Network, ...wider: Network[]];

/** Who uses a budget: a client by its networks, or a known caller (API key, wallet, group) by its name. */
export type Who = string | Networks;

/** The part of what all use together that one network may take, however wide it is. */
export const WIDEST = 1 / 3;
/** How many of a number of places unknown callers may take: a quarter is kept for known callers. */
export const forUnknownCallers = (inAll: number): number => inAll - Math.floor(inAll / 4);

/** How much a network may take. @param each of one client @param inAll of all clients; 0: no limit */
export const shareOf = ({ clients }: Network, each: number, inAll: number): number =>
  Math.max(each, Math.min(each * clients, inAll > 0 ? inAll * WIDEST : Number.POSITIVE_INFINITY));

/** Names of a user of a budget, each with the number of clients that it counts as. */
export const networksOfWho = (who: Who): readonly Network[] =>
  typeof who === "string" ? [{ name: who, clients: 1 }] : who;

/**
 * Places that are held for a while. A client's wider networks have a few clients' places each, and at most a third; a
 * quarter of all is kept for known callers.
 * Check then write: places are left, then one is taken; no await.
 * @param perHolder max of one holder; 0: no limit @param inAll max of all; 0: no limit
 */
export function places({ perHolder, inAll }: { perHolder: number; inAll: number }) {
  const byHolder = new Map<string, number>();
  let inUse = 0;

  return {
    /**
     * Takes one place for all holders together. No await between count and take, so a burst gets no more than single
     * requests.
     * @returns the function that gives it back; or which limit is reached: the `holder`'s, or that of `all`
     */
    take(holders: readonly Who[]): (() => void) | "holder" | "all" {
      const names = holders.flatMap(networksOfWho);
      const isFull = (one: Network) => (byHolder.get(one.name) ?? 0) >= shareOf(one, perHolder, inAll);
      if (perHolder > 0 && names.some(isFull)) return "holder";
      const isKnown = holders.every((holder) => typeof holder === "string");
      if (inAll > 0 && inUse >= (isKnown ? inAll : forUnknownCallers(inAll))) return "all";
      inUse++;
      for (const { name } of names) byHolder.set(name, (byHolder.get(name) ?? 0) + 1);
      return () => {
        inUse--;
        for (const { name } of names) {
          const left = byHolder.get(name)! - 1;
          if (left > 0) byHolder.set(name, left);
          else byHolder.delete(name);
        }
      };
    },
    get inUse(): number {
      return inUse;
    },
  };
}
