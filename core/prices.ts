/** Prices: one table per operation in the smallest unit of USDC, and the phase that switches all of them off. */
import { formatUnits } from "viem/utils";

export type Phase = "free" | "paid";

/** USDC units (6 decimals). */
export const PRICES = {
  agentMint: 1_000_000n,
  solanaRegistration: 1_000_000n,
  credReport: 10_000n,
  update: 0n,
  soulLock: 0n,
  soulHandshake: 0n,
} as const;
export type Operation = keyof typeof PRICES;

/** Phase and prices together, as they are in force at one time. */
export type PriceList = { phase: Phase; prices: Record<Operation, bigint> };

/** The prices of this file, in a phase. */
export const standardPrices = (phase: Phase): PriceList => ({ phase, prices: PRICES });

/** What an operation costs by a list, in USDC units. */
export const priceUnits = (operation: Operation, { phase, prices }: PriceList): bigint =>
  phase === "free" ? 0n : prices[operation];

/** USDC as a decimal string of at least two decimals: "1.00", "0.01". */
export function formatUsdc(units: bigint): string {
  const [whole, decimals = ""] = formatUnits(units, 6).split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

/** What an operation costs, in USDC, as clients see it. */
export const shownPrice = (operation: Operation, list: PriceList): string => formatUsdc(priceUnits(operation, list));

/** The object `pricing` of discovery and manifests; amounts in USDC. */
export const shownPricing = (list: PriceList) => ({
  phase: list.phase,
  currency: "USDC",
  ...(Object.fromEntries(
    Object.keys(PRICES).map((operation) => [operation, shownPrice(operation as Operation, list)]),
  ) as Record<Operation, string>),
});
