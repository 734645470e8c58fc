/** The identity contract's state: deployed or not, and its prices; cached between requests. */
import { setTimeout as pause } from "node:timers/promises";
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";

const FRESH_MS = 60_000;
const RETRY_MS = 2_000;
/** Max milliseconds a request waits for the first answer. */
const PRICE_TIMEOUT_MS = 1_000;

type ContractFacts = {
  contractDeployed: boolean;
  /** Wei; null while the chain could not be reached. */
  mintPriceWei: bigint | null;
  /** Wei for each trait; null like the price of a mint. */
  traitPriceWei: bigint | null;
};

export type ContractCache = {
  /** The cached state; makes no call. */
  readonly known: ContractFacts;
  /** The state of the last minute, while the chain can be reached. */
  current(): Promise<ContractFacts>;
};

/**
 * Calls the chain once at the start, then on demand, at most once a minute.
 * Check then write: no request is under way, then its promise is kept; no await, and a failure is forgotten only while
 * the promise is still the same.
 */
export function contractCache(chain: Chain, address: Address, now: () => number): ContractCache {
  let known: ContractFacts = { contractDeployed: false, mintPriceWei: null, traitPriceWei: null };
  let until = 0;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const [contractDeployed, mintPriceWei, traitPriceWei] = await Promise.all([
        chain.isDeployed(address),
        chain.mintPrice(address),
        chain.traitPrice(address),
      ]);
      known = { contractDeployed, mintPriceWei, traitPriceWei };
      until = now() + (contractDeployed ? FRESH_MS : RETRY_MS);
    } catch {
      until = now() + RETRY_MS;
    }
  }
  function askIfOld(): Promise<void> {
    if (until > now()) return Promise.resolve();
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  void askIfOld();
  return {
    get known() {
      return known;
    },
    async current() {
      const asked = askIfOld();
      if (known.mintPriceWei === null) await Promise.race([asked, pause(PRICE_TIMEOUT_MS, undefined, { ref: false })]);
      return known;
    },
  };
}
