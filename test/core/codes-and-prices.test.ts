/** Small tables and derivations: referral codes, prices, links, addresses, linked tokens, mint origins. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksum, parseAddress } from "../../core/addresses.ts";
import { linkedToken } from "../../core/agents/linked-token.ts";
import { parseReferralCode, referralCode, SUFFIXES } from "../../core/agents/referral-codes.ts";
import { countedTraits } from "../../core/agents/traits.ts";
import { referralLink, tokenLink, txLink } from "../../core/links.ts";
import { MINT_ORIGINS, mintOriginAt, mintOriginIndex } from "../../core/mints/mint-origins.ts";
import { formatUsdc, priceUnits, shownPricing, standardPrices } from "../../core/payments/prices.ts";
import { forAll } from "../support/for-all.ts";

const CONTRACT = "0x2e3b541c59d38b84e3bc54e977200230a204fe60";

describe("a referral code", () => {
  it.each([
    ["Bendr 2.0", 0, "bendr-2-0-0000"],
    ["--Quig  Bot!!", 35, "quig-bot-000z"],
    ["A very long agent name", SUFFIXES - 1, "a-very-long-ag-zzzz"],
    ["thirteen-long-x", 1, "thirteen-long-0001"],
    ["日本", 36, "agent-0010"],
    ["", 7, "agent-0007"],
  ])("of %j is made of its name", (name, random, code) => expect(referralCode(name, random)).toBe(code));

  it("always has its form and is found as it was made, in any case", () =>
    forAll([fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: SUFFIXES - 1 })], (name, random) => {
      const code = referralCode(name, random);
      expect(code).toMatch(/^[a-z0-9]([a-z0-9-]{0,12}[a-z0-9])?-[a-z0-9]{4}$/);
      expect(parseReferralCode(` ${code.toUpperCase()} `)).toBe(code);
    }));

  it.each(["", "a b", "ü", "a\u0000", "x".repeat(33), "%", "lin\u212aed"])("is not %j", (input) =>
    expect(parseReferralCode(input)).toBeNull(),
  );
});

describe("prices", () => {
  it("are those of the contract, and nothing in the free phase", () => {
    expect(shownPricing(standardPrices("paid"))).toEqual({
      ...{ phase: "paid", currency: "USDC", agentMint: "1.00", solanaRegistration: "1.00", credReport: "0.01" },
      ...{ update: "0.00", soulLock: "0.00", soulHandshake: "0.00" },
    });
    expect(
      new Set(Object.values({ ...shownPricing(standardPrices("free")), phase: "0.00", currency: "0.00" })),
    ).toEqual(new Set(["0.00"]));
    expect(priceUnits("agentMint", standardPrices("paid"))).toBe(1_000_000n);
    expect(priceUnits("agentMint", standardPrices("free"))).toBe(0n);
  });

  it.each([
    [1n, "0.000001"],
    [10_000n, "0.01"],
    [1_500_000n, "1.50"],
    [123_456_789_000_000n, "123456789.00"],
  ])("%d units are %s", (units, text) => expect(formatUsdc(units)).toBe(text));
});

describe("a linked token", () => {
  const trait = (name: string, category: string) => ({ name, category, addedAt: "2026-01-01T00:00:00.000Z" });

  it("is read from the last traits of its names", () => {
    const traits = [
      trait("linked-token", "0x0000000000000000000000000000000000000001"),
      trait("linked-token-symbol", "OLD"),
      trait("wise", "character"),
      trait("Linked-Token", CONTRACT.toUpperCase().replace("0X", "0x")),
      trait("linked-token-chain", "base"),
      trait("LINKED-TOKEN-SYMBOL", "CRED"),
      trait("linked-token-name", "Cred"),
    ];
    expect(linkedToken(traits)).toEqual({
      contractAddress: checksum(CONTRACT),
      chain: "base",
      symbol: "CRED",
      name: "Cred",
    });
    expect(countedTraits(traits).map((t) => t.name)).toEqual(["wise"]);
  });

  it("of another chain keeps its form; without a name it is called by its symbol", () => {
    const traits = [
      trait("linked-token", "So1111"),
      trait("linked-token-chain", "solana"),
      trait("linked-token-symbol", "X"),
    ];
    expect(linkedToken(traits)).toEqual({ contractAddress: "So1111", chain: "solana", symbol: "X", name: "X" });
  });

  it("is null without one, or when emptied", () => {
    expect(linkedToken([])).toBeNull();
    expect(linkedToken([trait("linked-token-symbol", "X")])).toBeNull();
    expect(linkedToken([trait("linked-token", CONTRACT), trait("linked-token", " ")])).toBeNull();
  });
});

describe("addresses and links", () => {
  it("are lower case inside, checksummed outside", () => {
    expect(parseAddress("0x2E3B541C59D38b84E3Bc54e977200230A204FE60")).toBe(CONTRACT);
    for (const wrong of ["", "0x", CONTRACT.slice(0, -1), `${CONTRACT}0`, `0X${CONTRACT.slice(2)}`, `${CONTRACT}\n`])
      expect(parseAddress(wrong), wrong).toBeNull();
    expect(checksum(CONTRACT)).toBe("0x2e3B541C59D38b84E3Bc54e977200230A204Fe60");
  });

  it("lead where the explorer has its pages", () => {
    expect(tokenLink("https://basescan.org", CONTRACT, 0)).toBe(`https://basescan.org/token/${checksum(CONTRACT)}?a=0`);
    expect(txLink("https://basescan.org", "0xab")).toBe("https://basescan.org/tx/0xab");
    expect(referralLink("https://helixa.xyz", "a-0000")).toBe("https://helixa.xyz/mint?ref=a-0000");
  });
});

it("mint origins have the contract's numbers", () => {
  expect(MINT_ORIGINS.map((origin) => origin.name)).toEqual(["HUMAN", "AGENT_SIWA", "API", "OWNER"]);
  for (const [index, { name }] of MINT_ORIGINS.entries()) {
    expect(mintOriginIndex(name)).toBe(index);
    expect(mintOriginAt(index).name).toBe(name);
  }
});
