/** Prices: one table by operation in the smallest unit of USDC, and the phase that switches all of them off. */
import { formatUnits } from "viem/utils";

export type Phase = "free" | "paid";

/** Prices in USDC units (6 decimals). */
export const PRICES = {
  agentMint: 1_000_000n,
  solanaRegistration: 1_000_000n,
  credReport: 10_000n,
  update: 0n,
  soulLock: 0n,
  soulHandshake: 0n,
} as const;
export type Operation = keyof typeof PRICES;

/** The payment reference of an operation that cost nothing. */
export const UNPAID = "free";

/** Phase and prices in force at one time. */
export type PriceList = { phase: Phase; prices: Record<Operation, bigint> };

/** The prices of this file, in a phase. */
export const standardPrices = (phase: Phase): PriceList => ({ phase, prices: PRICES });

/** Price of an operation in USDC units. */
export const priceUnits = (operation: Operation, { phase, prices }: PriceList): bigint =>
  phase === "free" ? 0n : prices[operation];

/** Formats USDC units as a decimal string with at least two decimals: "1.00", "0.01". */
export function formatUsdc(units: bigint): string {
  const [whole, decimals = ""] = formatUnits(units, 6).split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

/** Price of an operation as clients see it: USDC, decimal. */
export const shownPrice = (operation: Operation, list: PriceList): string => formatUsdc(priceUnits(operation, list));

/** Names of the sold operations in sentences. */
export const SOLD: Partial<Record<Operation, string>> = {
  agentMint: "Registration of an agent",
  solanaRegistration: "Registration of an agent with a Solana key",
  credReport: "The full cred report of an agent, with a signed receipt",
  update: "A change of an agent's profile",
};

/** All prices in sentences: "Registration of an agent costs 1.00 USDC. …"; empty while every operation is free. */
export const costsInWords = (list: PriceList): string =>
  Object.entries(SOLD)
    .filter(([operation]) => priceUnits(operation as Operation, list) > 0n)
    .map(([operation, what]) => `${what} costs ${shownPrice(operation as Operation, list)} USDC.`)
    .join(" ");

/** The object `pricing` of discovery and manifests; amounts in USDC. */
export const shownPricing = (list: PriceList) => ({
  phase: list.phase,
  currency: "USDC",
  ...(Object.fromEntries(
    Object.keys(PRICES).map((operation) => [operation, shownPrice(operation as Operation, list)]),
  ) as Record<Operation, string>),
});
