/** What x402 terms cost: the ways to pay, and US dollars where a known stablecoin is asked for. */
import { foreignText } from "../directory/foreign-text.ts";
import type { Accept } from "./offer.ts";

/** Networks by the names of x402 version 1, as CAIP-2. */
const NETWORKS: Record<string, string> = {
  base: "eip155:8453",
  polygon: "eip155:137",
  avalanche: "eip155:43114",
  solana: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
};

/** Decimals of the stablecoins in US dollars, by network and address. Coins of test networks are worth nothing. */
const DOLLARS: Record<string, number> = {
  // USDC
  "eip155:1 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": 6,
  "eip155:10 0x0b2c639c533813f4aa9d7837caf62653d097ff85": 6,
  "eip155:137 0x3c499c542cef5e3811e1192ce70d8cc03d5c3359": 6,
  "eip155:8453 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913": 6,
  "eip155:42161 0xaf88d065e77c8cc2239327c5edb3a432268e5831": 6,
  "eip155:43114 0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e": 6,
  "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": 6,
  // USDT
  "eip155:1 0xdac17f958d2ee523a2206206994597c13d831ec7": 6,
};

const MAX_ACCEPTS = 16;
/** A price above this is a mistake or a joke: it counts as unknown. */
export const MAX_USD = 1_000_000;

/** Reads `accepts` of either version. @returns null when there is none that can be read */
export function x402Price(raw: unknown): { accepts: Accept[]; usd: number | null } | null {
  if (!Array.isArray(raw)) return null;
  const accepts = raw.slice(0, MAX_ACCEPTS).flatMap((each) => acceptOf(each) ?? []);
  if (accepts.length === 0) return null;
  const prices = accepts.flatMap((accept) => dollarsOf(accept) ?? []);
  return { accepts, usd: prices.length > 0 ? Math.min(...prices) : null };
}

function acceptOf(raw: unknown): Accept | null {
  const terms = (raw ?? {}) as Record<string, unknown>;
  const { amount = terms.maxAmountRequired, maxAmountRequired = amount } = terms;
  // Clients of the two versions would pay different sums.
  if (amount !== maxAmountRequired) return null;
  const network = foreignText(terms.network, 100);
  const accept = {
    scheme: foreignText(terms.scheme, 32),
    network: network && (NETWORKS[network.toLowerCase()] ?? network),
    asset: foreignText(terms.asset, 100),
    amount: typeof amount === "string" && /^\d{1,78}$/.test(amount) ? amount : null,
    payTo: foreignText(terms.payTo, 100),
  };
  return Object.values(accept).every((value) => value !== null) ? (accept as Accept) : null;
}

/** The most that terms take, in millionths of a US dollar; null where they ask for no known stablecoin. */
export function dollarUnits({ network, asset, amount }: Accept): bigint | null {
  const decimals = DOLLARS[`${network} ${/^0x/i.test(asset) ? asset.toLowerCase() : asset}`];
  return decimals === undefined ? null : (BigInt(amount) * 1_000_000n) / 10n ** BigInt(decimals);
}

/** A limit (`upto`) is no price of a call. */
function dollarsOf(accept: Accept): number | null {
  const units = accept.scheme === "exact" ? dollarUnits(accept) : null;
  const usd = Number(units) / 1e6;
  return units !== null && usd <= MAX_USD ? usd : null;
}
