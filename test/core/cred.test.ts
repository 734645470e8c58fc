/** The cred formula: its table, its edges, and what must hold for every agent. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentFacts } from "../../core/agents/facts.ts";
import { breakdownOf, credOf, SIGNALS, scoreOf, shownCred } from "../../core/cred/cred.ts";
import { SCALE, TIERS, tierOf, tierWord } from "../../core/cred/tiers.ts";
import type { RawSignals, SignalKey } from "../../core/signals/signals.ts";
import { addressOf, randomAgent } from "../support/agents.ts";
import { forAll } from "../support/for-all.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const DAY = 86_400;

const KEYS = SIGNALS.map((signal) => signal.key);
const rawSignals = fc.record(
  Object.fromEntries(KEYS.map((key) => [key, fc.nat(100)])) as Record<SignalKey, fc.Arbitrary<number>>,
);
const zero = Object.fromEntries(KEYS.map((key) => [key, 0])) as RawSignals;
const facts = fc.nat(1000).chain((tokenId) => randomAgent(tokenId, NOW).map((agent) => agent.facts));
/** An agent nothing speaks for but its origin. */
const bare: AgentFacts = {
  ...fc.sample(randomAgent(1, NOW), { numRuns: 1, seed: 1 })[0]!.facts,
  ...{
    points: 0,
    verified: false,
    soulbound: false,
    origin: 3,
    mintedAt: SECONDS,
    traits: [],
    proofs: [],
    profile: [],
  },
  ...{ exchange: null, onchainNarrative: null, narrativeAt: null },
};
const rawOf = (key: SignalKey, change: Partial<AgentFacts>) => credOf({ ...bare, ...change }, NOW).raw[key];

describe("the table", () => {
  it("has the weights of the specification, which sum to 1", () => {
    expect(Object.fromEntries(SIGNALS.map(({ key, weight }) => [key, weight]))).toEqual({
      ...{ activity: 20, traits: 15, verify: 15, coinbase: 15, age: 10, narrative: 10, origin: 10, soulbound: 5 },
    });
    const breakdown = Object.values(breakdownOf(zero));
    expect(breakdown.reduce((sum, { weight }) => sum + weight * 100, 0)).toBe(100);
  });

  it.each([
    [0, 0],
    [1, 2],
    [49, 98],
    [50, 100],
    [51, 100],
    [Number.MAX_SAFE_INTEGER, 100],
  ])("%d points give activity %d", (points, raw) => expect(rawOf("activity", { points })).toBe(raw));

  it.each([
    [0, 0],
    [1, 12],
    [8, 96],
    [9, 100],
    [30, 100],
  ])("%d traits give %d", (count, raw) => {
    const traits = Array.from({ length: count }, (_, n) => ({
      name: `t${n}`,
      category: "c",
      addedAt: NOW.toISOString(),
    }));
    expect(rawOf("traits", { traits })).toBe(raw);
    // The storage of a linked token adds nothing, in any case.
    const storage = ["linked-token", "LINKED-TOKEN-CHAIN", "Linked-token-x"].map((name) => ({ ...traits[0]!, name }));
    expect(rawOf("traits", { traits: [...storage, ...traits] })).toBe(raw);
  });

  it("counts proofs that stand, never the names of traits", () => {
    const proof = (platform: "x" | "github" | "farcaster", status: "verified" | "stale" | "lapsed") => ({
      ...{ platform, status, accountId: "1", handle: "h", username: null, txHash: null, evidence: {} },
      ...{ verifiedAt: NOW.toISOString(), checkedAt: NOW.toISOString() },
    });
    const traits = ["x-verified", "github-verified", "farcaster-verified", "siwa"].map((name) => ({
      ...{ name, category: "verification", addedAt: NOW.toISOString() },
    }));
    expect(rawOf("verify", { traits })).toBe(0);
    expect(rawOf("verify", { verified: true })).toBe(25);
    expect(rawOf("verify", { proofs: [proof("x", "verified")] })).toBe(25);
    expect(rawOf("verify", { proofs: [proof("x", "stale"), proof("github", "lapsed")] })).toBe(25);
    const all = [proof("x", "verified"), proof("github", "stale"), proof("farcaster", "verified")];
    expect(rawOf("verify", { verified: true, proofs: all })).toBe(100);
  });

  it("counts the exchange's attestation only of the current owner, unrevoked and unexpired", () => {
    const valid = { attestationUid: "0x1", recipient: bare.owner, expiresAt: 0, revokedAt: 0, verifiedAt: "" } as const;
    const raw = (change: object, owner = bare.owner) => rawOf("coinbase", { owner, exchange: { ...valid, ...change } });
    expect(raw({})).toBe(100);
    expect(raw({}, addressOf(77))).toBe(0);
    expect(raw({ recipient: bare.agentAddress })).toBe(0);
    expect(raw({ revokedAt: 1 })).toBe(0);
    expect(raw({ expiresAt: SECONDS + 1 })).toBe(100);
    expect(raw({ expiresAt: SECONDS })).toBe(0);
    expect(raw({ expiresAt: SECONDS - 1 })).toBe(0);
  });

  it.each([
    [-3600, 0],
    [0, 0],
    [DAY - 1, 0],
    [DAY, 5],
    [DAY + 1, 5],
    [19 * DAY, 95],
    [20 * DAY - 1, 95],
    [20 * DAY, 100],
    [400 * DAY, 100],
  ])("%d seconds since registration give age %d", (age, raw) =>
    expect(rawOf("age", { mintedAt: SECONDS - age })).toBe(raw),
  );

  it("counts the texts of the narrative that say something", () => {
    const texts = (origin: string, mission: string, lore: string, manifesto: string) =>
      rawOf("narrative", { onchainNarrative: { origin, mission, lore, manifesto } });
    expect(texts("", "", "", "")).toBe(0);
    expect(texts("a", "", " ", "\u3000\n")).toBe(25);
    expect(texts("a", "b", "c", "d")).toBe(100);
  });

  it.each([
    [0, 80],
    [1, 100],
    [2, 70],
    [3, 50],
    [9, 50],
  ])("origin %d on chain is worth %d", (origin, raw) => expect(rawOf("origin", { origin })).toBe(raw));

  it("knows a soulbound agent", () => {
    expect([rawOf("soulbound", { soulbound: true }), rawOf("soulbound", { soulbound: false })]).toEqual([100, 0]);
  });
});

describe("every score", () => {
  it("is an integer from 0 to 100, as is every raw value", () =>
    forAll([facts], { numRuns: 500 }, (agent) => {
      const { score, raw } = credOf(agent, NOW);
      for (const value of [score, ...Object.values(raw)]) {
        expect(Number.isInteger(value)).toBe(true);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(100);
      }
    }));

  it("reaches both ends", () => {
    expect(scoreOf(zero)).toBe(0);
    expect(scoreOf(Object.fromEntries(KEYS.map((key) => [key, 100])) as RawSignals)).toBe(100);
  });

  it("never falls when a signal rises", () =>
    forAll([rawSignals, fc.constantFrom(...KEYS), fc.nat(100)], (raw, key, rise) => {
      const higher = { ...raw, [key]: Math.min(100, raw[key] + rise) };
      expect(scoreOf(higher)).toBeGreaterThanOrEqual(scoreOf(raw));
    }));

  it("is Σ weight · raw rounded half up, without a float's error", () => {
    // 20 % of 52 and 5 % of 42 are 12.5: to 13, and 12.45 to 12.
    expect(scoreOf({ ...zero, activity: 52, soulbound: 42 })).toBe(13);
    expect(scoreOf({ ...zero, activity: 52, soulbound: 41 })).toBe(12);
    forAll([rawSignals], (raw) => {
      const hundredths = SIGNALS.reduce((sum, { key, weight }) => sum + BigInt(weight * raw[key]), 0n);
      const whole = hundredths / 100n + (hundredths % 100n >= 50n ? 1n : 0n);
      expect(BigInt(scoreOf(raw))).toBe(whole);
    });
  });

  it("is what its breakdown says", () =>
    forAll([rawSignals], (raw) => {
      const breakdown = breakdownOf(raw);
      const sum = Object.values(breakdown).reduce((total, part) => total + part.weightedScore, 0);
      expect(Math.abs(sum - scoreOf(raw))).toBeLessThanOrEqual(0.5 + 1e-9);
      for (const key of KEYS) {
        expect(breakdown[key].rawScore).toBe(raw[key]);
        expect(breakdown[key].weightedScore).toBeCloseTo(breakdown[key].weight * raw[key], 9);
      }
    }));

  it("only rises with time, but for an attestation that expires", () =>
    forAll([facts, fc.nat(40 * DAY)], (agent, seconds) => {
      const later = new Date(NOW.getTime() + seconds * 1000);
      const lasting = { ...agent, exchange: agent.exchange && { ...agent.exchange, expiresAt: 0 } };
      expect(credOf(lasting, later).score).toBeGreaterThanOrEqual(credOf(lasting, NOW).score);
      expect(credOf(agent, later).raw.coinbase).toBeLessThanOrEqual(credOf(agent, NOW).raw.coinbase);
    }));

  it("is shown as stored, and computed only until it is stored", () => {
    const computed = shownCred(bare, NOW);
    expect(computed).toMatchObject({ score: 5, computedAt: NOW.toISOString(), tier: { key: "junk" } });
    const cred = { score: 77, raw: { ...zero, activity: 9 }, seenBlock: 1, computedAt: "2026-01-01T00:00:00.000Z" };
    expect(shownCred({ ...bare, cred }, NOW)).toEqual({
      score: 77,
      raw: cred.raw,
      computedAt: cred.computedAt,
      tier: TIERS[1],
    });
  });
});

describe("tiers", () => {
  it.each([
    [0, "JUNK", "Junk", "basic"],
    [25, "JUNK", "Junk", "basic"],
    [26, "MARGINAL", "Marginal", "verified"],
    [50, "MARGINAL", "Marginal", "verified"],
    [51, "QUALIFIED", "Qualified", "trusted"],
    [75, "QUALIFIED", "Qualified", "trusted"],
    [76, "PRIME", "Prime", "elite"],
    [90, "PRIME", "Prime", "elite"],
    [91, "PREFERRED", "Preferred", "legendary"],
    [100, "PREFERRED", "Preferred", "legendary"],
  ])("%d is %s", (score, word, label, addressWord) => {
    const tier = tierOf(score);
    expect([tierWord(tier), tier.label, tier.addressWord]).toEqual([word, label, addressWord]);
  });

  it("cover every score once", () => {
    for (let score = 0; score <= 100; score++) {
      expect(TIERS.filter((tier) => score >= tier.from && score <= tier.to)).toEqual([tierOf(score)]);
    }
  });

  it("write their scale, worst first", () => {
    expect(Object.entries(SCALE)).toEqual([
      ["junk", "0-25"],
      ["marginal", "26-50"],
      ["qualified", "51-75"],
      ["prime", "76-90"],
      ["preferred", "91-100"],
    ]);
  });
});
