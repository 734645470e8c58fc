/** What a transaction offers for its inclusion: the first offer, and the raise that replaces one that is stuck. */

/** An EIP-1559 offer in wei per gas. */
export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint };

/** What the chain asks for, by its recent blocks. */
export type Market = {
  /** Of the newest block. */
  baseFeePerGasWei: bigint;
  /** The tip that the node advises. */
  priorityFeePerGasWei: bigint;
  /** What was paid of late: the median over recent blocks of each block's 90th percentile; null when the node does not say. */
  recentTipWei: bigint | null;
  /** Gas that a block of the chain takes. */
  blockGasLimit: bigint;
};

/** Most that may be offered, in wei per gas, whatever the market says. */
export type FeeCaps = { maxFeePerGasWei: bigint; maxTipPerGasWei: bigint };

/** The least tip worth offering: 0.001 gwei, what Base's own nodes accept. */
export const MIN_TIP_WEI = 1_000_000n;
/** The tip may be raised this far even where nobody pays any. */
const QUIET_TIP_CAP_WEI = 10n * MIN_TIP_WEI;
/** The tip may be raised to this multiple of what was paid of late. */
const TIP_MULTIPLE = 5n;
/** The fee may be raised to this multiple of the base fee: room for eleven full blocks in a row. */
const BASE_FEE_MULTIPLE = 4n;

const greater = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** The caps as the recent blocks narrow them. */
export function capsNow(market: Market, caps: FeeCaps): FeeCaps {
  const usualTip = market.recentTipWei === null ? caps.maxTipPerGasWei : market.recentTipWei * TIP_MULTIPLE;
  const maxTipPerGasWei = smaller(caps.maxTipPerGasWei, greater(usualTip, QUIET_TIP_CAP_WEI));
  const usualFee = market.baseFeePerGasWei * BASE_FEE_MULTIPLE + maxTipPerGasWei;
  return { maxFeePerGasWei: smaller(caps.maxFeePerGasWei, usualFee), maxTipPerGasWei };
}

/**
 * The first offer: room for five full blocks in a row (the base fee grows at most 12.5 % a block). The tip starts at no
 * more than a quarter of its cap, because every later offer has to raise it too.
 */
export function firstOffer(market: Market, caps: FeeCaps): Fees {
  const now = capsNow(market, caps);
  const tip = smaller(greater(market.priorityFeePerGasWei, MIN_TIP_WEI), greater(now.maxTipPerGasWei / 4n, 1n));
  const maxFeePerGasWei = smaller(2n * market.baseFeePerGasWei + tip, now.maxFeePerGasWei);
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: smaller(tip, maxFeePerGasWei) };
}

/** At least 12.5 % more: nodes want 10 % before they let one transaction replace another. */
export const raised = (wei: bigint) => wei + (wei + 7n) / 8n;

/**
 * The offer that replaces `previous` at the same nonce: both parts at least 12.5 % higher, and what the market asks for
 * if that is more. The tip of what a block may include rises to half of its cap: the rest is for following the base fee,
 * which no offer can without a higher tip.
 * @returns null when a cap leaves no room for a replacement.
 */
export function nextOffer(previous: Fees, market: Market, caps: FeeCaps): Fees | null {
  const now = capsNow(market, caps);
  const wanted = firstOffer(market, caps);
  const maxFeePerGasWei = greater(wanted.maxFeePerGasWei, raised(previous.maxFeePerGasWei));
  const tip = greater(wanted.maxPriorityFeePerGasWei, raised(previous.maxPriorityFeePerGasWei));
  const tipCap = canBeIncluded(previous, market) ? now.maxTipPerGasWei / 2n : now.maxTipPerGasWei;
  if (maxFeePerGasWei > now.maxFeePerGasWei || tip > tipCap || tip > maxFeePerGasWei) return null;
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: tip };
}

/**
 * The offer of the filler that replaces `previous`: as `nextOffer`, and where the caps leave no room, the least raise
 * that nodes take and a block includes. It is an empty transfer of 21,000 gas, so it may exceed them by that.
 */
export const fillerOffer = (previous: Fees, market: Market, caps: FeeCaps): Fees =>
  nextOffer(previous, market, caps) ?? {
    maxFeePerGasWei: greater(raised(previous.maxFeePerGasWei), firstOffer(market, caps).maxFeePerGasWei),
    maxPriorityFeePerGasWei: raised(previous.maxPriorityFeePerGasWei),
  };

/** Whether a block at the current base fee may include the offer at all. */
export const canBeIncluded = (offer: Fees, market: Pick<Market, "baseFeePerGasWei">) =>
  offer.maxFeePerGasWei >= market.baseFeePerGasWei;
