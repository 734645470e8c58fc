/** What the chain says, kept for a while: the contract's facts, what a wallet has, and the times of blocks. */
import { setTimeout as pause } from "node:timers/promises";
import { decodeFunctionResult, encodeFunctionData, formatEther, formatUnits } from "viem/utils";
import { multicall3Abi } from "../../abis/multicall3.ts";
import { neynarScoresAbi } from "../../abis/neynar-scores.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import type { Chain } from "../../clients/ports.ts";
import { checksum, MULTICALL3 } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Who } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { READ_GAS } from "../../core/transactions/gas-bounds.ts";
import type { Balances } from "../../core/views/agent-report.ts";
import type { RateLimits } from "../guards/rate-limits.ts";

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

/**
 * Calls the chain once at the start, then on demand, at most once a minute.
 * Check then write: no request is under way, then its promise is kept; no await.
 */
export function contractCache(chain: Chain, address: Address, now: () => number) {
  let facts: ContractFacts = { contractDeployed: false, mintPriceWei: null, traitPriceWei: null };
  let until = 0;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const [contractDeployed, mintPriceWei, traitPriceWei] = await Promise.all([
        chain.isDeployed(address),
        chain.mintPrice(address),
        chain.traitPrice(address),
      ]);
      facts = { contractDeployed, mintPriceWei, traitPriceWei };
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
    /** The cached state; makes no call. */
    get known(): ContractFacts {
      return facts;
    },
    /** The state of the last minute, while the chain can be reached. */
    async current(): Promise<ContractFacts> {
      const load = askIfOld();
      if (facts.mintPriceWei === null) await Promise.race([load, pause(PRICE_TIMEOUT_MS, undefined, { ref: false })]);
      return facts;
    },
  };
}

/** The function to call, with `price` as its value. */
const MINT_FUNCTION = "mint(address agentAddress, string name, string framework, bool soulbound)";

/** @param priceWei null while the contract cannot be read */
export const directMint = (contract: Address, chainId: number, priceWei: bigint | null) => ({
  contract: checksum(contract),
  function: MINT_FUNCTION,
  chainId,
  currency: "ETH" as const,
  price: priceWei === null ? null : formatEther(priceWei),
});

/** Max milliseconds a request waits; then the balances are null. */
const BALANCES_TIMEOUT_MS = 2_000;
/** Bound: balances in memory. */
const MAX_REMEMBERED = 10_000;
const USDC_DECIMALS = 6;

/** A score of 1, in the units of Neynar's contract. */
const MAX_NEYNAR_UNITS = 1_000_000;

const UNKNOWN: Balances = { eth: null, usdc: null, linkedToken: null, neynarScore: null };

/** The contracts that are read in addition to a linked token. */
type Contracts = { usdc: Address; neynarScores: Address };
/** Contracts whose code is not known to be kind. */
type Others = { neynarScores: Address; linkedToken: Address | null };

/**
 * Check then write: no request is under way, then its promise is kept; no await.
 * @param limits bound the calls of the chain, because any reader can cause them.
 * @param now milliseconds since the epoch
 */
export function balanceCache(
  chain: Pick<Chain, "call">,
  limits: Pick<RateLimits, "take">,
  contracts: Contracts,
  now: () => number,
) {
  const cache = expiringCache<Balances>(MAX_REMEMBERED);
  const asking = new Map<string, Promise<Balances>>();

  async function ask(key: string, wallet: Address, linkedToken: Address | null): Promise<Balances> {
    const { usdc, neynarScores } = contracts;
    const reading = readBalances(chain, { wallet, usdc, others: { neynarScores, linkedToken } });
    const balances = await reading.catch(() => null);
    cache.set(key, balances ?? UNKNOWN, now() + (balances ? FRESH_MS : RETRY_MS));
    return balances ?? UNKNOWN;
  }

  const takeToken = async (reader: Who) => limits.take([["chain-reads", reader]], now());

  return {
    /**
     * A wallet's balances, at most one minute old. Never fails: a balance that the chain does not answer in time is null.
     * @param linkedToken contract of a token on this chain; null for none
     * @param reader whose share of the allowance is used where a node has to be asked
     */
    async of(wallet: Address, linkedToken: Address | null, reader: Who): Promise<Balances> {
      const key = `${wallet}:${linkedToken ?? ""}`;
      const remembered = cache.get(key, now());
      if (remembered) return remembered;
      if (!asking.has(key)) {
        // A refusal is this reader's alone, and is not remembered for others.
        const refused = await takeToken(reader).then(
          () => false,
          () => true,
        );
        if (refused) return UNKNOWN;
        const answer = asking.get(key) ?? ask(key, wallet, linkedToken).finally(() => asking.delete(key));
        asking.set(key, answer);
      }
      return Promise.race([asking.get(key)!, pause(BALANCES_TIMEOUT_MS, UNKNOWN, { ref: false })]);
    },
  };
}

/**
 * Reads ETH, USDC, Neynar's score and a linked token in one call.
 * @returns null when the chain has no Multicall3; a part that the chain refuses is null
 * @throws Failure upstream_unavailable
 */
async function readBalances(
  chain: Pick<Chain, "call">,
  { wallet, usdc, others }: { wallet: Address; usdc: Address; others: Others | null },
): Promise<Balances | null> {
  // Every ERC-20 has these two functions, as USDC has.
  const balanceOf = encodeFunctionData({ abi: usdcAbi, functionName: "balanceOf", args: [wallet] });
  const decimals = encodeFunctionData({ abi: usdcAbi, functionName: "decimals" });
  const calls: [target: Address, callData: Hex][] = [
    [MULTICALL3, encodeFunctionData({ abi: multicall3Abi, functionName: "getEthBalance", args: [wallet] })],
    [usdc, balanceOf],
  ];
  if (others) {
    const score = encodeFunctionData({ abi: neynarScoresAbi, functionName: "getScore", args: [wallet] });
    calls.push([others.neynarScores, score]);
    if (others.linkedToken) calls.push([others.linkedToken, balanceOf], [others.linkedToken, decimals]);
  }
  const answer = await chain.call({
    to: MULTICALL3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map(([target, callData]) => ({ target, allowFailure: true, callData }))],
    }),
    gas: READ_GAS,
  });
  // A contract of others may burn the gas of the whole call: they are left out of a second one.
  if (!answer.ok && others) return readBalances(chain, { wallet, usdc, others: null });
  if (!answer.ok || answer.data === "0x") return null;
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer.data });
  const [eth, usdcUnits, neynarUnits, linkedUnits, linkedDecimals] = results.map(toNumber);
  return {
    eth: eth === null || eth === undefined ? null : formatEther(eth),
    usdc: usdcUnits === null || usdcUnits === undefined ? null : formatUnits(usdcUnits, USDC_DECIMALS),
    linkedToken: linkedBalance(linkedUnits ?? null, linkedDecimals ?? null),
    neynarScore: neynarScore(neynarUnits ?? null),
  };
}

/** The number a call answered; null when it failed, or when there is no contract to answer. */
const toNumber = ({ success, returnData }: { success: boolean; returnData: Hex }): bigint | null =>
  success && returnData.length === 66 ? BigInt(returnData) : null;

/** The score of a foreign contract; null for its 0, which means no score, and for a number above the highest score. */
const neynarScore = (units: bigint | null): number | null =>
  units === null || units === 0n || units > MAX_NEYNAR_UNITS ? null : Number(units) / MAX_NEYNAR_UNITS;

/** A contract may claim any number of decimals; beyond a byte it is not an ERC-20. */
const linkedBalance = (units: bigint | null, decimals: bigint | null): Balances["linkedToken"] =>
  units === null || decimals === null || decimals > 255n
    ? null
    : { amount: formatUnits(units, Number(decimals)), decimals: Number(decimals) };

const MAX_TIMES = 50_000;
/** Blocks below the indexed one that no reorganisation reaches any more; one hour of Base. */
const SETTLED_BLOCKS = 1_800;
const YOUNG_MS = 10_000;

export function blockTimes(chain: Pick<Chain, "block">, limits: Pick<RateLimits, "take">, now: () => number) {
  const cache = expiringCache<Promise<number>>(MAX_TIMES);

  async function ask(block: number): Promise<number> {
    const header = await chain.block(block);
    return header
      ? header.timestamp * 1_000
      : fail("upstream_unavailable", `No node has block ${block} at the moment.`, { retryAfter: 5 });
  }

  return {
    /**
     * The time of a block that the index has, milliseconds since the epoch.
     * @param indexed the newest block of the index
     * @param reader whose share of the allowance is used where a node has to be asked
     * @throws Failure rate_limited, upstream_unavailable
     */
    async of(block: number, indexed: number, reader: Who): Promise<number> {
      const remembered = cache.get(`${block}`, now());
      if (remembered) return remembered;
      await limits.take([["chain-reads", reader]], now());
      const underWay = cache.get(`${block}`, now());
      if (underWay) return underWay;
      const answer = ask(block);
      cache.set(`${block}`, answer, indexed - block >= SETTLED_BLOCKS ? undefined : now() + YOUNG_MS);
      answer.catch(() => cache.drop(`${block}`, answer));
      return answer;
    },
  };
}
