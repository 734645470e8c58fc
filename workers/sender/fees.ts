/** What a transaction offers for its inclusion: the first offer, and the raise that replaces one that is stuck. */

/** An EIP-1559 offer in wei per gas. */
export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint };

/** What the chain asks for: the base fee of the newest block and the tip its node advises. */
export type Market = { baseFeePerGasWei: bigint; priorityFeePerGasWei: bigint };

/** The least tip worth offering: 0.001 gwei, what Base's own nodes accept. */
export const MIN_TIP_WEI = 1_000_000n;

const greater = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** The first offer: room for five full blocks in a row (the base fee grows at most 12.5 % a block), never above `capWei`. */
export function firstOffer(market: Market, capWei: bigint): Fees {
  const tip = greater(market.priorityFeePerGasWei, MIN_TIP_WEI);
  const maxFeePerGasWei = smaller(2n * market.baseFeePerGasWei + tip, capWei);
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: smaller(tip, maxFeePerGasWei) };
}

/** At least 12.5 % more: nodes want 10 % before they let one transaction replace another. */
export const raised = (wei: bigint) => wei + (wei + 7n) / 8n;

/**
 * The offer that replaces `previous` at the same nonce: both parts at least 12.5 % higher, and what the market asks for
 * if that is more. @returns null when the cap leaves no room for a replacement.
 */
export function nextOffer(previous: Fees, market: Market, capWei: bigint): Fees | null {
  const wanted = firstOffer(market, capWei);
  const maxFeePerGasWei = greater(wanted.maxFeePerGasWei, raised(previous.maxFeePerGasWei));
  if (maxFeePerGasWei > capWei) return null;
  const tip = greater(wanted.maxPriorityFeePerGasWei, raised(previous.maxPriorityFeePerGasWei));
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: smaller(tip, maxFeePerGasWei) };
}

/** Whether a block at the current base fee may include the offer at all. */
export const canBeIncluded = (offer: Fees, market: Market) => offer.maxFeePerGasWei >= market.baseFeePerGasWei;
