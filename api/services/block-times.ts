/** Times of blocks of the past: read from a node once each, and few by anyone, because settlement and sending share the nodes. */
import type { Chain } from "../../clients/ports.ts";
import type { Who } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";
import { expiringCache } from "../guards/expiring-cache.ts";
import type { RateLimits } from "../guards/rate-limits.ts";

const MAX_REMEMBERED = 50_000;
/** Blocks below the indexed one that no reorganisation reaches any more; one hour of Base. */
const SETTLED_BLOCKS = 1_800;
const FRESH_MS = 10_000;

export type BlockTimes = {
  /**
   * The time of a block that the index has, milliseconds since the epoch.
   * @param indexed the newest block of the index
   * @param reader whose share of the allowance is used where a node has to be asked
   * @throws Failure rate_limited, upstream_unavailable
   */
  of(block: number, indexed: number, reader: Who): Promise<number>;
};

export function blockTimes(
  chain: Pick<Chain, "block">,
  limits: Pick<RateLimits, "take">,
  now: () => number,
): BlockTimes {
  const known = expiringCache<number>(MAX_REMEMBERED);
  const asking = new Map<number, Promise<number>>();

  async function ask(block: number, indexed: number): Promise<number> {
    const found = await chain.block(block);
    if (found === null)
      return fail("upstream_unavailable", `No node has block ${block} at the moment.`, { retryAfter: 5 });
    const at = found.timestamp * 1_000;
    known.set(`${block}`, at, indexed - block >= SETTLED_BLOCKS ? Number.POSITIVE_INFINITY : now() + FRESH_MS);
    return at;
  }

  return {
    async of(block, indexed, reader) {
      const remembered = known.get(`${block}`, now()) ?? asking.get(block);
      if (remembered !== undefined) return remembered;
      await limits.take([["chain-reads", reader]], now());
      const answer = asking.get(block) ?? ask(block, indexed).finally(() => asking.delete(block));
      asking.set(block, answer);
      return answer;
    },
  };
}
