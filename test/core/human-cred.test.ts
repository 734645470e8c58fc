/** The cred of humans: its table, the edges of each signal, and what must hold for every human. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentFacts, Proof } from "../../core/agents/facts.ts";
import { HUMAN_SIGNALS, type HumanSignalKey, humanCredOf } from "../../core/principals/cred.ts";
import type { HumanFacts, LinkedAgent } from "../../core/principals/facts.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { humanCredView, humanView } from "../../core/views/human.ts";
import { addressOf, randomAgent } from "../support/agents.ts";
import { forAll } from "../support/for-all.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const DAY = 86_400;
const AT = "2026-11-20T00:00:00.000Z";
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

const someAgent = fc.sample(randomAgent(1, NOW), { numRuns: 1, seed: 1 })[0]!.facts;
const scored = (score: number, more: Partial<LinkedAgent> = {}): LinkedAgent => ({
  ...someAgent,
  ...{ proofs: [], ethosScore: null, heldSince: null },
  cred: { score, raw: {} as never, seenBlock: 1, computedAt: AT },
  ...more,
});
const proof = (status: Proof["status"], verifiedAt = AT, platform: ProofPlatformKey = "x"): Proof => ({
  ...{ platform, accountId: "1", handle: "ada", username: null, status, verifiedAt, checkedAt: verifiedAt },
  ...{ txHash: null, evidence: {} },
});

/** A human of whom nothing is known but that it has registered. */
const bare: HumanFacts = {
  ...{ id: "hum_1", wallet: addressOf(7), tokenId: null, name: "Ada", description: "", image: null },
  ...{ organization: "", skills: [], domains: [], linkedAccounts: {}, services: {}, externalIds: {}, metadata: {} },
  ...{ hasEmail: false, hasTelegram: false, createdAt: NOW.toISOString(), updatedAt: NOW.toISOString() },
  ...{ attestation: null, ethos: null, transactions: null, sessionSuccesses: 0, referrals: 0, agents: [] },
};
const part = (key: HumanSignalKey, change: Partial<HumanFacts>) =>
  humanCredOf({ ...bare, ...change }, NOW).breakdown[key];
const raw = (key: HumanSignalKey, change: Partial<HumanFacts>) => part(key, change).raw;
const heard = <T>(value: T) => ({ value, at: AT });

describe("the table", () => {
  it("has the weights of the contract, which sum to 100 either way", () => {
    expect(Object.fromEntries(HUMAN_SIGNALS.map(({ key, weight }) => [key, [weight.wallet, weight.noWallet]]))).toEqual(
      {
        verifiedIdentity: [20, 0],
        linkedAgents: [20, 25],
        socialReputation: [15, 25],
        onchainHistory: [10, 0],
        workHistory: [15, 20],
        networkEndorsements: [10, 10],
        profileCompleteness: [5, 10],
        longevity: [5, 10],
      },
    );
    for (const kind of ["wallet", "noWallet"] as const)
      expect(HUMAN_SIGNALS.reduce((sum, { weight }) => sum + weight[kind], 0)).toBe(100);
  });

  it("gives a newcomer nothing, and says what is not known", () => {
    const { score, tier, breakdown } = humanCredOf(bare, NOW);
    expect([score, tier.key]).toEqual([0, "junk"]);
    const unknown = Object.entries(breakdown).filter(([, { known }]) => !known);
    expect(unknown.map(([key]) => key)).toEqual(["socialReputation", "onchainHistory"]);
    expect(part("verifiedIdentity", { wallet: null })).toEqual({ weight: 0, raw: 0, contribution: 0, known: false });
  });

  it.each([
    ["none", null, 0],
    ["one for ever", { expiresAt: 0 }, 70],
    ["one that ends in a second", { expiresAt: SECONDS + 1 }, 70],
    ["one that ends now", { expiresAt: SECONDS }, 0],
  ])("attestation: %s", (_, attestation, value) => expect(raw("verifiedIdentity", { attestation })).toBe(value));

  it("an account counts when a linked agent has proven it, since it came to this owner, and while it stands", () => {
    const of = (proofs: Proof[], heldSince: number | null = null) =>
      raw("verifiedIdentity", { agents: [scored(1, { proofs, heldSince })] });
    expect(of([proof("verified")])).toBe(30);
    expect(of([proof("verified"), proof("stale", AT, "github")])).toBe(30);
    expect(of([proof("lapsed")])).toBe(0);
    const boughtAt = Date.parse(AT) / 1000;
    expect([of([proof("verified")], boughtAt), of([proof("verified")], boughtAt + 1)]).toEqual([30, 0]);
    const both = { attestation: { expiresAt: 0 }, agents: [scored(1, { proofs: [proof("verified")] })] };
    expect(raw("verifiedIdentity", both)).toBe(100);
    expect(raw("verifiedIdentity", { linkedAccounts: { x: "ada", github: "ada" } })).toBe(0);
  });

  it("the best linked agent counts, not their sum", () => {
    expect(raw("linkedAgents", { agents: [scored(31), scored(64), scored(0)] })).toBe(64);
    expect(raw("linkedAgents", { agents: [] })).toBe(0);
  });

  it.each([
    [1, 0],
    [1200, 43],
    [1400, 50],
    [2800, 100],
  ])("Ethos %d gives %d", (score, value) => expect(raw("socialReputation", { ethos: heard(score) })).toBe(value));

  it("Ethos that knows nothing is not known; without a wallet the best linked agent's stands in", () => {
    expect(part("socialReputation", { ethos: heard(null) }).known).toBe(false);
    const agents = [scored(1, { ethosScore: 700 }), scored(1, { ethosScore: 1400 }), scored(1)];
    expect(part("socialReputation", { agents })).toMatchObject({ known: false, weight: 15 });
    expect(part("socialReputation", { wallet: null, agents })).toEqual({
      ...{ weight: 25, raw: 50, contribution: 12.5, known: true },
    });
  });

  it.each([
    [0, 0],
    [1, 14],
    [9, 45],
    [99, 90],
    [165, 100],
    [Number.MAX_SAFE_INTEGER, 100],
  ])("%d transactions give %d", (count, value) =>
    expect(part("onchainHistory", { transactions: heard(count) })).toMatchObject({ raw: value, known: true }),
  );

  it.each([
    ["workHistory", { sessionSuccesses: 3 }, 15],
    ["workHistory", { sessionSuccesses: 21 }, 100],
    ["networkEndorsements", { referrals: 4 }, 40],
    ["networkEndorsements", { referrals: 11 }, 100],
    ["longevity", { createdAt: iso(SECONDS - 364 * DAY) }, 100],
    ["longevity", { createdAt: iso(SECONDS - 182 * DAY) }, 50],
    ["longevity", { createdAt: iso(SECONDS - DAY + 1) }, 0],
    ["longevity", { createdAt: iso(SECONDS + DAY) }, 0],
    ["longevity", { createdAt: iso(SECONDS - 4000 * DAY) }, 100],
    ["profileCompleteness", { description: "x" }, 13],
    ["profileCompleteness", { hasEmail: true, hasTelegram: true }, 13],
    ["profileCompleteness", { skills: ["a"], domains: ["b"], image: "https://example.org/a", organization: "o" }, 50],
  ] as [HumanSignalKey, Partial<HumanFacts>, number][])("%s of %j is %d", (key, change, value) =>
    expect(raw(key, change)).toBe(value),
  );
});

const word = fc.string({ minLength: 1, maxLength: 5 });
const words = fc.array(word, { maxLength: 3 });
const stated = fc.dictionary(fc.constantFrom("x", "github", "coinbase", "ethos"), word);
/** What a human writes about itself. */
const profile = fc.record({
  name: word,
  description: fc.oneof(fc.constant(""), word),
  image: fc.option(word),
  organization: fc.oneof(fc.constant(""), word),
  skills: words,
  domains: words,
  linkedAccounts: stated,
  services: stated,
  hasEmail: fc.boolean(),
  hasTelegram: fc.boolean(),
});
const agent = fc
  .tuple(
    fc.nat(50).chain((tokenId) => randomAgent(tokenId, NOW)),
    fc.option(fc.nat(2800)),
    fc.option(fc.integer({ min: SECONDS - 1000, max: SECONDS })),
    fc.option(fc.nat(100)),
  )
  .map(
    ([{ facts }, ethosScore, heldSince, score]): LinkedAgent => ({
      ...(facts as AgentFacts),
      ...{ ethosScore, heldSince },
      cred: score === null ? null : { score, raw: {} as never, seenBlock: 1, computedAt: AT },
    }),
  );
const human: fc.Arbitrary<HumanFacts> = fc
  .record({
    wallet: fc.option(fc.constant(addressOf(7))),
    attestation: fc.option(fc.record({ expiresAt: fc.constantFrom(0, SECONDS - 1, SECONDS, SECONDS + 1) })),
    ethos: fc.option(fc.record({ value: fc.option(fc.nat(2800)), at: fc.constant(AT) })),
    transactions: fc.option(fc.record({ value: fc.maxSafeNat(), at: fc.constant(AT) })),
    sessionSuccesses: fc.nat(30),
    referrals: fc.nat(15),
    createdAt: fc.integer({ min: SECONDS - 800 * DAY, max: SECONDS + DAY }).map(iso),
    agents: fc.array(agent, { maxLength: 3 }),
  })
  .chain((sources) => profile.map((told) => ({ ...bare, ...sources, ...told })));

describe("for every human", () => {
  it("the score is the rounded sum of the contributions, unknown sources count 0", () =>
    forAll([human], (facts) => {
      const { score, tier, breakdown } = humanCredOf(facts, NOW);
      const parts = Object.values(breakdown);
      expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
      for (const { weight, raw, contribution, known } of parts) {
        expect(Number.isInteger(raw) && raw >= 0 && raw <= 100).toBe(true);
        expect(contribution).toBe((weight * raw) / 100);
        if (!known) expect(raw).toBe(0);
      }
      const hundredths = parts.reduce((sum, { weight, raw }) => sum + weight * raw, 0);
      expect(score).toBe(Math.floor((hundredths + 50) / 100));
      expect(score >= tier.from && score <= tier.to).toBe(true);
    }));

  it("what it says about itself moves profileCompleteness and nothing else", () =>
    forAll([human, profile], (facts, told) => {
      const { profileCompleteness: _, ...before } = humanCredOf(facts, NOW).breakdown;
      const { profileCompleteness: __, ...after } = humanCredOf({ ...facts, ...told }, NOW).breakdown;
      expect(after).toEqual(before);
    }));

  it("more of anything never lowers the score, and losing a source never raises it", () =>
    forAll([human, agent], (facts, another) => {
      const score = (change: Partial<HumanFacts>) => humanCredOf({ ...facts, ...change }, NOW).score;
      const now = score({});
      const more: Partial<HumanFacts>[] = [
        { sessionSuccesses: facts.sessionSuccesses + 1 },
        { referrals: facts.referrals + 1 },
        { attestation: { expiresAt: 0 } },
        { agents: [...facts.agents, another] },
        { transactions: heard((facts.transactions?.value ?? 0) + 1) },
      ];
      const less: Partial<HumanFacts>[] = [
        { ethos: null },
        { transactions: null },
        { agents: [] },
        { attestation: null },
      ];
      for (const change of more) expect(score(change)).toBeGreaterThanOrEqual(now);
      for (const change of less) expect(score(change)).toBeLessThanOrEqual(now);
    }));

  it("the views tell one score, and the newest time of what it was read from", () =>
    forAll([human], (facts) => {
      const site = { publicUrl: "https://a.test", contract: addressOf(1) } as never;
      const view = humanCredView(facts, NOW);
      expect(humanView(facts, site, NOW).humanCred).toEqual({
        ...{ score: view.score, tier: view.tier, tierLabel: view.tierLabel },
      });
      expect(view.updatedAt >= facts.updatedAt).toBe(true);
      expect([...view.sources.profile.told, ...view.sources.profile.missing]).toHaveLength(8);
    }));
});
