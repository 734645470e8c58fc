/** What is offered for a transaction's inclusion, by recent blocks and within the caps. */
import fc from "fast-check";
import { parseGwei } from "viem";
import { describe, expect, it } from "vitest";
import {
  capsNow,
  type Fees,
  fillerOffer,
  firstOffer,
  type Market,
  MIN_TIP_WEI,
  nextOffer,
} from "../../core/transactions/transaction-fees.ts";
import { forAll } from "../support/for-all.ts";

const CAPS = { maxFeePerGasWei: parseGwei("5"), maxTipPerGasWei: parseGwei("0.1") };
const market = (over: Partial<Market> = {}): Market => ({
  baseFeePerGasWei: parseGwei("0.01"),
  priorityFeePerGasWei: parseGwei("0.001"),
  recentTipWei: parseGwei("0.002"),
  blockGasLimit: 30_000_000n,
  ...over,
});
/** Every offer until the caps end it, the market standing still. */
function offers(seen: Market, caps = CAPS): Fees[] {
  const all = [firstOffer(seen, caps)];
  for (;;) {
    const next = nextOffer(all.at(-1)!, seen, caps);
    if (next === null) return all;
    all.push(next);
  }
}

describe("the caps", () => {
  it("follow what was paid of late, below those of the configuration", () => {
    expect(capsNow(market(), CAPS)).toEqual({
      maxTipPerGasWei: parseGwei("0.01"),
      maxFeePerGasWei: parseGwei("0.05"),
    });
    expect(capsNow(market({ recentTipWei: parseGwei("40") }), CAPS).maxTipPerGasWei).toBe(CAPS.maxTipPerGasWei);
    expect(capsNow(market({ baseFeePerGasWei: parseGwei("40") }), CAPS).maxFeePerGasWei).toBe(CAPS.maxFeePerGasWei);
    // A node that keeps no history leaves the configuration's.
    expect(capsNow(market({ recentTipWei: null }), CAPS).maxTipPerGasWei).toBe(CAPS.maxTipPerGasWei);
  });

  it("hold for every offer, whatever a node says, and every raise is one that nodes take", () => {
    const wei = fc.bigInt({ min: 0n, max: parseGwei("100000") });
    forAll([wei, wei, fc.option(wei)], (baseFeePerGasWei, priorityFeePerGasWei, recentTipWei) => {
      const all = offers(market({ baseFeePerGasWei, priorityFeePerGasWei, recentTipWei }));
      for (const [n, { maxFeePerGasWei, maxPriorityFeePerGasWei }] of all.entries()) {
        expect(maxFeePerGasWei <= CAPS.maxFeePerGasWei && maxFeePerGasWei > 0n).toBe(true);
        expect(maxPriorityFeePerGasWei <= CAPS.maxTipPerGasWei && maxPriorityFeePerGasWei > 0n).toBe(true);
        expect(maxPriorityFeePerGasWei <= maxFeePerGasWei).toBe(true);
        const before = all[n - 1];
        if (!before) continue;
        expect(maxFeePerGasWei * 10n >= before.maxFeePerGasWei * 11n).toBe(true);
        expect(maxPriorityFeePerGasWei * 10n >= before.maxPriorityFeePerGasWei * 11n).toBe(true);
      }
    });
  });
});

it("the first offer leaves the tip room to be raised", () => {
  const quiet = market({ recentTipWei: 0n, priorityFeePerGasWei: parseGwei("1") });
  expect(firstOffer(quiet, CAPS).maxPriorityFeePerGasWei).toBe((10n * MIN_TIP_WEI) / 4n);
  expect(offers(quiet).length).toBeGreaterThan(4);
});

it("what a block may include raises its tip to half of the cap, so that the base fee can still be followed", () => {
  const busy = market({ recentTipWei: parseGwei("1"), priorityFeePerGasWei: parseGwei("1") });
  const last = offers(busy).at(-1)!;
  expect(last.maxPriorityFeePerGasWei).toBeLessThanOrEqual(CAPS.maxTipPerGasWei / 2n);
  const risen = { ...busy, baseFeePerGasWei: last.maxFeePerGasWei + 1n };
  expect(nextOffer(last, risen, CAPS)).not.toBeNull();
});

it("a base fee that has grown twentyfold is followed by one raise", () => {
  const first = firstOffer(market(), CAPS);
  const grown = market({ baseFeePerGasWei: parseGwei("0.2") });
  expect(nextOffer(first, grown, CAPS)!.maxFeePerGasWei).toBeGreaterThanOrEqual(2n * grown.baseFeePerGasWei);
});

it("a filler is offered where the caps leave no room for it, for the least raise", () => {
  const last = offers(market()).at(-1)!;
  expect(nextOffer(last, market(), CAPS)).toBeNull();
  const filler = fillerOffer(last, market(), CAPS);
  expect(filler.maxFeePerGasWei * 8n).toBeGreaterThanOrEqual(last.maxFeePerGasWei * 9n);
  expect(filler.maxFeePerGasWei * 7n).toBeLessThan(last.maxFeePerGasWei * 9n);
  const risen = market({ baseFeePerGasWei: parseGwei("1") });
  expect(fillerOffer(last, risen, CAPS).maxFeePerGasWei).toBeGreaterThan(parseGwei("1"));
});
