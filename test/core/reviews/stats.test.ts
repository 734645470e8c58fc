/** What reviews are worth: what nobody can change by order, number or likeness, and the words of each weight. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PUBLIC_SENT } from "../../../core/public-parties.ts";
import type { Party, ReviewsFacts } from "../../../core/reviews/facts.ts";
import { CROWD, EVIDENCE_LEVELS, MAX_DIMENSIONS, SHARED } from "../../../core/reviews/rules.ts";
import { computeReviews, reasonsOf, weightOf } from "../../../core/reviews/stats.ts";
import { forAll } from "../../support/for-all.ts";
import { address, anyFacts, DAY, entry, NOW, stranger } from "./facts.ts";

/** The most that any number of reviewers without proof moves an adjusted value. */
const MOST_BY_CROWD = (100 * CROWD) / (1 + CROWD);
const CLOSE = 1e-9;
const human = (n: number) => stranger(n, { human: true });
const of = (known: Partial<ReviewsFacts>): ReviewsFacts => ({ side: [], reviewers: [], reviews: [], ...known });
/** Each entry with its weight and reasons. */
function entriesOf(facts: ReviewsFacts) {
  const { reviewers, clusters, crowd } = computeReviews(facts);
  return facts.reviews.map((said) => {
    const one = reviewers.find(({ address }) => address === said.reviewer)!;
    const cluster = clusters.find(({ id }) => id === one.cluster);
    const reasons = reasonsOf(said, one, crowd, cluster ? { ...cluster, size: cluster.reviewers.length } : null);
    return { said, cluster: one.cluster, weight: weightOf(said, one, crowd), reasons };
  });
}
const weightBy = (facts: ReviewsFacts, n: number) =>
  entriesOf(facts).reduce((sum, { said, weight }) => sum + (said.reviewer === address(n) ? weight : 0), 0);

describe("the value of reviews", () => {
  it("does not depend on the order of what is known", () => {
    const shuffled = anyFacts.chain((facts) =>
      fc
        .tuple(
          fc.shuffledSubarray(facts.reviews as never[], { minLength: facts.reviews.length }),
          fc.shuffledSubarray(facts.reviewers as never[], { minLength: facts.reviewers.length }),
          fc.shuffledSubarray(facts.side as never[], { minLength: facts.side.length }),
        )
        .map(([reviews, reviewers, side]) => ({ facts, other: { reviews, reviewers, side } })),
    );
    forAll([shuffled], ({ facts, other }) => {
      expect(computeReviews(other)).toEqual(computeReviews(facts));
    });
  });

  it("of each tag is that of the reviews with this tag alone, and of one tag for all the value itself", () =>
    forAll([anyFacts], (facts) => {
      const { dimensions } = computeReviews(facts);
      const valid = facts.reviews.filter(({ revoked }) => !revoked);
      expect(dimensions.reduce((sum, { reviews }) => sum + reviews, 0)).toBe(valid.length);
      for (const { tag, raw, adjusted } of dimensions) {
        const of = valid.filter((one) => one.tag === tag);
        const proven = of.filter(({ reviewer, value }) => {
          const one = facts.reviewers.find(({ address }) => address === reviewer)!;
          return value !== null && one.human;
        });
        if (proven.length === 0) expect(adjusted).toBeNull();
        const values = of.flatMap(({ value }) => (value === null ? [] : [value]));
        expect(raw === null).toBe(values.length === 0);
        if (adjusted === null) continue;
        expect(adjusted).toBeGreaterThanOrEqual(Math.min(...values) - CLOSE);
        expect(adjusted).toBeLessThanOrEqual(Math.max(...values) + CLOSE);
      }
      const oneTag = computeReviews({ ...facts, reviews: facts.reviews.map((one) => ({ ...one, tag: "starred" })) });
      if (valid.length > 0)
        expect(oneTag.dimensions).toEqual([
          { tag: "starred", reviews: valid.length, raw: oneTag.raw, adjusted: oneTag.adjusted },
        ]);
    }));

  it("of a tag is not moved by more than the crowd's share by those without proof who alone use it much", () => {
    const crowd = Array.from({ length: 50 }, (_, i) => i + 2);
    const facts = of({
      reviewers: [human(1), ...crowd.map((n) => stranger(n))],
      reviews: [entry(1, 0, { tag: "uptime" }), ...crowd.map((n) => entry(n, 100, { tag: "uptime" }))],
    });
    expect(computeReviews(facts).dimensions[0]!.adjusted).toBeLessThanOrEqual(MOST_BY_CROWD + CLOSE);
  });

  it("lies within the values and its interval, by weights from 0 to 1, of which each has a reason", () =>
    forAll([anyFacts], (facts) => {
      const { raw, adjusted, interval, inflation, voices } = computeReviews(facts);
      const entries = entriesOf(facts);
      for (const { weight, reasons } of entries) {
        expect(weight).toBeGreaterThanOrEqual(0);
        expect(weight).toBeLessThanOrEqual(1);
        expect(reasons.length).toBeGreaterThan(0);
      }
      const counting = entries.filter(({ weight }) => weight > 0);
      if (adjusted === null) {
        expect([interval, inflation, voices]).toEqual([[0, 100], null, 0]);
        expect(counting).toEqual([]);
        return;
      }
      const values = counting.map(({ said }) => said.value!);
      const whole = counting.reduce((sum, { weight }) => sum + weight, 0);
      const byEntry = counting.reduce((sum, { weight, said }) => sum + weight * said.value!, 0) / whole;
      expect(adjusted).toBeCloseTo(byEntry, 9);
      expect(adjusted).toBeGreaterThanOrEqual(Math.min(...values) - CLOSE);
      expect(adjusted).toBeLessThanOrEqual(Math.max(...values) + CLOSE);
      expect(interval[0]).toBeLessThanOrEqual(adjusted);
      expect(interval[1]).toBeGreaterThanOrEqual(adjusted);
      expect(inflation).toBe(raw! - adjusted);
      expect(voices).toBeGreaterThan(0);
    }));

  it("counts nothing that the agent's own side wrote or funded, that was taken back, or that has no scale", () =>
    forAll([anyFacts], (facts) => {
      const ours = facts.side.map((one) => one.address);
      for (const { said, weight, reasons } of entriesOf(facts)) {
        const one = facts.reviewers.find((known) => known.address === said.reviewer)!;
        if (ours.includes(said.reviewer)) expect([weight, reasons[0]!.evidence]).toEqual([0, "own"]);
        const spent = !one.human || one.sent;
        if (spent && one.funder?.sent === 3 && ours.includes(one.funder.address)) expect(weight).toBe(0);
        if (said.revoked || said.value === null) expect(weight).toBe(0);
      }
    }));

  it("takes the weight of each reviewer with proof that stands alone, and one voice of one with many entries", () => {
    const entries = [1, 2, 3].map((i) => entry(1, 30 * i, { index: String(i) }));
    const facts = of({ reviewers: [human(1), human(2)], reviews: [...entries, entry(2, 0)] });
    const { adjusted, voices } = computeReviews(facts);
    expect(entriesOf(facts).map(({ weight }) => weight)).toEqual([1 / 3, 1 / 3, 1 / 3, 1]);
    expect([adjusted, voices]).toEqual([30, 2]);
  });

  it("hears an independent reviewer, whoever it is, beside one with proof", () => {
    for (const known of [{}, { paid: 1_000_000 }, { agentCred: 80 }, { firstAt: NOW - 400 * DAY, sent: 90 }]) {
      const facts = of({ reviewers: [human(1), stranger(2, known)], reviews: [entry(1, 80), entry(2, 20)] });
      expect(weightBy(facts, 2)).toBeGreaterThan(0);
      expect(computeReviews(facts).adjusted).toBeLessThan(80);
    }
  });

  it("is not told where no reviewer has proof", () => {
    const facts = of({ reviewers: [stranger(1, { paid: 9_000_000 })], reviews: [entry(1, 100)] });
    const { raw, adjusted, interval, inflation } = computeReviews(facts);
    expect({ raw, adjusted, interval, inflation }).toEqual({
      ...{ raw: 100, adjusted: null, interval: [0, 100], inflation: null },
    });
    expect(entriesOf(facts)[0]).toMatchObject({
      weight: 0,
      reasons: [{ evidence: "no_proof_beside" }, { evidence: "payer" }],
    });
  });
});

describe("what the judged does", () => {
  const ZERO = address(0);
  const publicParty: fc.Arbitrary<Party> = fc.constantFrom(
    { address: address(950), sent: PUBLIC_SENT },
    { address: address(950), sent: null },
    { address: ZERO, sent: 0 },
  );

  it("voids no review by putting who serves the public, or what nothing is known of, on its side", () =>
    forAll([anyFacts, publicParty, fc.boolean()], (facts, party, isOrigin) => {
      const reviewers = facts.reviewers.map((one) => ({
        ...one,
        ...{ funder: isOrigin ? one.funder : party, origin: isOrigin ? party : one.origin },
        partners: [...one.partners, party],
      }));
      const before = computeReviews({ ...facts, reviewers });
      const added = { address: party.address, funder: party, partners: [party] };
      expect(computeReviews({ ...facts, reviewers, side: [...facts.side, added] })).toEqual(before);
    }));

  it("voids no person's review by a cent sent to an account whose gas others pay", () => {
    const judged = { address: address(700), sent: 9 };
    const side = [{ address: judged.address, funder: null, partners: [] }];
    const reviews = [entry(1, 0, { at: NOW }), entry(2, 90, { at: NOW + DAY })];
    const cent = { funder: judged, firstAt: NOW - 60, sent: 0 };
    for (const known of [cent, { ...cent, funder: { address: address(800), sent: 9 }, origin: judged }]) {
      const reviewers = [1, 2].map((n) => stranger(n, { human: true, ...known }));
      const facts = of({ side, reviewers, reviews });
      expect([weightBy(facts, 1), weightBy(facts, 2)]).toEqual([1, 1]);
    }
    // Who has spent it has accepted it.
    const spent = [stranger(1, { human: true, ...cent, sent: 3 }), human(2)];
    expect(weightBy(of({ side, reviewers: spent, reviews }), 1)).toBe(0);
  });

  it("pushes no tag with a scale out of what is shown, by any number of reviews with others", () => {
    const numbers = Array.from({ length: 40 }, (_, i) => i + 2);
    const junk = numbers.flatMap((n) =>
      Array.from({ length: 20 }, (_, i) => entry(n, null, { index: String(i), tag: `junk ${i}` })),
    );
    const many = Array.from({ length: 60 }, (_, i) => entry(2, null, { index: `9${i}`, tag: "much" }));
    const facts = of({
      reviewers: [human(1), ...numbers.map((n) => stranger(n))],
      reviews: [entry(1, 50, { tag: "uptime" }), ...junk, ...many],
    });
    const { dimensions } = computeReviews(facts);
    expect(dimensions).toHaveLength(MAX_DIMENSIONS);
    expect(dimensions[0]).toMatchObject({ tag: "uptime", adjusted: 50 });
    expect(dimensions.map(({ tag }) => tag)).not.toContain("much");
  });
});

describe("reviewers without proof", () => {
  const puppets = (facts: ReviewsFacts, number: number, value: number, like: number): ReviewsFacts => {
    const model = facts.reviewers[like % facts.reviewers.length]!;
    const said = facts.reviews.find(({ reviewer }) => reviewer === model.address)!;
    const numbers = Array.from({ length: number }, (_, i) => 100 + i);
    return {
      ...facts,
      reviewers: [...facts.reviewers, ...numbers.map((n) => ({ ...model, address: address(n), human: false }))],
      reviews: [
        ...facts.reviews,
        ...numbers.map((n) => ({ ...said, reviewer: address(n), index: "1", value, revoked: false })),
      ],
    };
  };
  const many = fc.record({
    facts: anyFacts,
    number: fc.integer({ min: 1, max: 60 }),
    value: fc.constantFrom(0, 50, 100),
    like: fc.nat({ max: 20 }),
  });

  it("move the adjusted value by less than five points together, however many join and whomever they look like", () => {
    expect(MOST_BY_CROWD).toBeLessThan(5);
    forAll([many], ({ facts, number, value, like }) => {
      const before = computeReviews(facts);
      const after = computeReviews(puppets(facts, number, value, like));
      const moved = before.adjusted === null ? after.adjusted : Math.abs(after.adjusted! - before.adjusted);
      expect(moved ?? 0).toBeLessThanOrEqual(MOST_BY_CROWD + CLOSE);
    });
  });

  it("take no weight from one with proof", () =>
    forAll([many], ({ facts, number, value, like }) => {
      const crowded = puppets(facts, number, value, like);
      for (const { address: one, human: proven } of facts.reviewers) {
        const n = Number.parseInt(one, 16);
        if (proven) expect(weightBy(crowded, n)).toBe(weightBy(facts, n));
      }
    }));
});

describe("a cluster", () => {
  const farm = (number: number, known: object = {}) =>
    Array.from({ length: number }, (_, i) =>
      stranger(10 + i, { funder: { address: address(900), sent: 40 }, firstAt: NOW - 60, sent: 1, ...known }),
    );

  it("weighs what its strongest member does, however many join", () => {
    const weights = [2, 5, 40].map((number) => {
      const members = farm(number, { human: true });
      const facts = of({
        reviewers: [human(1), ...members],
        reviews: [entry(1, 0), ...members.map((_, i) => entry(10 + i, 100))],
      });
      const { adjusted, voices, clusters } = computeReviews(facts);
      expect([voices, clusters.length, clusters[0]!.reviewers.length]).toEqual([2, 1, number]);
      return adjusted;
    });
    for (const adjusted of weights) expect(adjusted).toBeCloseTo(50, 9);
  });

  it("is told to each of its reviewers with what connects it", () => {
    const facts = of({
      reviewers: [human(1), ...farm(3)],
      reviews: [entry(1, 0), ...[10, 11, 12].map((n) => entry(n, 9))],
    });
    const { clusters } = computeReviews(facts);
    const reviews = entriesOf(facts);
    expect(clusters).toEqual([
      { id: address(10), reviewers: [10, 11, 12].map(address), shares: ["funder", "born", "one_purpose"] },
    ]);
    expect(reviews[1]).toMatchObject({ cluster: address(10) });
    expect(reviews[1]!.reasons.map(({ evidence }) => evidence)).toEqual(["unknown", "funder", "born", "one_purpose"]);
    expect(reviews[1]!.reasons[1]!.says).toBe(
      "It and 2 other reviewers count as one: some of them had their first money from one account, directly or by one between, or one from the other.",
    );
    expect(reviews[0]).toMatchObject({ cluster: null, weight: 1 });
  });
});

describe("the table of rules", () => {
  it("names each evidence once, has weights from 0 to 1, and speaks of nobody's intent", () => {
    const all = [...EVIDENCE_LEVELS, ...SHARED];
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    for (const { weight } of EVIDENCE_LEVELS) expect(weight > 0 && weight <= 1).toBe(true);
    expect(all.filter(({ says }) => /fraud|fake|sybil|scam|bot\b/i.test(says))).toEqual([]);
  });
});
