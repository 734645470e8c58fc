/** Fees of a transaction: the first offer, and the raised offer that replaces a stuck transaction. */

/** An EIP-1559 offer in wei per gas. */
export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint };

/** The fee market, from the chain's recent blocks. */
export type Market = {
  baseFeePerGasWei: bigint;
  /** The tip that the node suggests. */
  priorityFeePerGasWei: bigint;
  /** Recently paid tip: the median over recent blocks of each block's 90th percentile; null when the node does not provide it. */
  recentTipWei: bigint | null;
  blockGasLimit: bigint;
};

/** Absolute maximum of an offer, in wei per gas. The market cannot raise it. */
export type FeeCaps = { maxFeePerGasWei: bigint; maxTipPerGasWei: bigint };

/** Minimum tip: 0.001 gwei, the lowest that Base's own nodes accept. */
export const MIN_TIP_WEI = 1_000_000n;
/** The tip may be raised to this value even when recent blocks paid no tips. */
const QUIET_TIP_CAP_WEI = 10n * MIN_TIP_WEI;
/** The tip may be raised to this multiple of the recently paid tip. */
const TIP_MULTIPLE = 5n;
/** The fee may be raised to this multiple of the base fee: room for eleven full blocks in a row. */
const BASE_FEE_MULTIPLE = 4n;

const greater = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** The configured caps, lowered to the limits that follow from recent blocks. */
export function capsNow(market: Market, caps: FeeCaps): FeeCaps {
  const usualTip = market.recentTipWei === null ? caps.maxTipPerGasWei : market.recentTipWei * TIP_MULTIPLE;
  const maxTipPerGasWei = smaller(caps.maxTipPerGasWei, greater(usualTip, QUIET_TIP_CAP_WEI));
  const usualFee = market.baseFeePerGasWei * BASE_FEE_MULTIPLE + maxTipPerGasWei;
  return { maxFeePerGasWei: smaller(caps.maxFeePerGasWei, usualFee), maxTipPerGasWei };
}

/**
 * The first offer. It has room for five full blocks in a row (the base fee grows at most 12.5 % per block). The tip starts
 * at a quarter of its cap or less, because each later offer must raise it too.
 */
export function firstOffer(market: Market, caps: FeeCaps): Fees {
  const now = capsNow(market, caps);
  const tip = smaller(greater(market.priorityFeePerGasWei, MIN_TIP_WEI), greater(now.maxTipPerGasWei / 4n, 1n));
  const maxFeePerGasWei = smaller(2n * market.baseFeePerGasWei + tip, now.maxFeePerGasWei);
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: smaller(tip, maxFeePerGasWei) };
}

/** Raises by at least 12.5 %: nodes require 10 % before they let one transaction replace another. */
const raised = (wei: bigint) => wei + (wei + 7n) / 8n;

/**
 * The offer that replaces `previous` at the same nonce: both parts are at least 12.5 % higher, or higher still when the
 * market requires it. While a block can include `previous`, the tip rises to at most half of its cap. The other half is
 * kept for following the base fee, because every replacement must raise the tip too.
 * @returns null when a cap leaves no room for a replacement
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
 * The offer of the filler that replaces `previous`: as `nextOffer`, and where the caps leave no room, the lowest raise
 * that nodes accept and a block includes. The filler is an empty transfer of 21,000 gas, so exceeding the caps is cheap.
 */
export const fillerOffer = (previous: Fees, market: Market, caps: FeeCaps): Fees =>
  nextOffer(previous, market, caps) ?? {
    maxFeePerGasWei: greater(raised(previous.maxFeePerGasWei), firstOffer(market, caps).maxFeePerGasWei),
    maxPriorityFeePerGasWei: raised(previous.maxPriorityFeePerGasWei),
  };

/** Whether a block at the current base fee may include the offer at all. */
export const canBeIncluded = (offer: Fees, market: Pick<Market, "baseFeePerGasWei">) =>
  offer.maxFeePerGasWei >= market.baseFeePerGasWei;
