/** Properties of the keys of texts, and of what stands behind what in a ranking. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { siblingKeyOf } from "../../core/discovery/copies.ts";
import { type Candidate, inOrder, ranked } from "../../core/discovery/rank.ts";
import { wordsOf } from "../../core/discovery/split-words.ts";
import { forAll } from "../support/for-all.ts";

const words = (text: string) => wordsOf(text, 400).map(({ word }) => word);
const keyOf = (operator: string | null, name: string, text: string) => siblingKeyOf(operator, words(name), words(text));

describe("the key of siblings", () => {
  const word = fc.stringMatching(/^[a-z]{3,9}$/);
  it("is equal for agents of one operator that differ in name and digits only, and another for any other word", () =>
    forAll([fc.uniqueArray(word, { minLength: 9, maxLength: 18 }), fc.nat(99)], ([a, b, other, ...text], n) => {
      const of = (name: string, more = "") => keyOf("0xaa", name, `${name} ${n} ${text.join(" ")}${more}`);
      expect(of(a!)).toBe(of(`${b} ${n}`));
      expect(of(a!)).not.toBe(of(a!, ` ${other}`));
      expect(of(a!)).not.toBe(keyOf("0xbb", a!, text.join(" ")));
      expect(keyOf(null, a!, text.join(" "))).toBeNull();
    }));
  it("is null for a text that says too little beside the name", () => {
    expect(keyOf("0xaa", "AI agent", "An AI agent.")).toBeNull();
    expect(keyOf("0xaa", "Audit Agent", "An audit agent of five words")).toBeNull();
  });
});

describe("agents of one name", () => {
  const candidate = fc.record({
    trust: fc.integer({ min: 1, max: 1000 }),
    owner: fc.constantFrom("0xaa", "0xbb", null),
    nameKey: fc.constantFrom(1, 2, null),
    textKeys: fc.constant([]),
    siblingKey: fc.constant(null),
    simhash: fc.constant(null),
    copy: fc.constant(false),
    nameSince: fc.option(fc.integer({ min: 0, max: 5 }).map((day) => new Date(day * 86_400_000))),
    registeredAt: fc.constant(null),
    disguised: fc.boolean(),
    stuffed: fc.boolean(),
    imitation: fc.boolean(),
    worth: fc.constant([1]),
    named: fc.boolean(),
    rarelyNamed: fc.boolean(),
    exact: fc.boolean(),
    length: fc.constant(20),
    unmet: fc.constant(0),
  });
  const isOlder = ({ nameSince: a }: Candidate, { nameSince: b }: Candidate) => a !== null && (b === null || a < b);

  it("are each shown or counted, in the order of their ranks, and the first to have a plain name is shown", () =>
    forAll([fc.array(candidate, { minLength: 1, maxLength: 12 })], (some) => {
      const candidates: Candidate[] = some.map((one, i) => ({
        ...one,
        id: i + 1,
        disguised: one.disguised || one.imitation,
        // Above the least share of the best rank.
        trust: 500 + Math.round(one.trust / 2),
      }));
      const hits = ranked(inOrder(candidates, [1]), new Map());
      expect(hits.map(({ rank }) => rank)).toEqual(hits.map(({ rank }) => rank).toSorted((a, b) => b - a));
      const readable = candidates.filter(({ stuffed, exact }) => !stuffed || exact);
      const left = readable.length === 0 ? candidates : readable;
      expect(hits.length + hits.reduce((sum, { copies }) => sum + copies, 0)).toBe(left.length);
      const shown = new Set(hits.map(({ candidate: { id } }) => id));
      for (const one of left.filter(({ stuffed, disguised }) => !stuffed && !disguised))
        if (left.every((other) => other.nameKey !== one.nameKey || other === one || isOlder(one, other)))
          expect(shown).toContain(one.id);
    }));

  const hitsOf = (of: Partial<Candidate>, some: readonly Partial<Candidate>[]) => {
    const plain = { siblingKey: null, simhash: null, registeredAt: null, disguised: false, stuffed: false };
    const all = { ...plain, imitation: false, worth: [1], named: true, rarelyNamed: true, length: 20, unmet: 0 };
    const candidates = some.map((one) => ({ ...all, ...of, ...one }) as Candidate);
    return ranked(inOrder(candidates, [1]), new Map()).map(({ candidate: { id }, copies }) => [id, copies]);
  };

  it("never stand behind a copy of their text, whoever had their name before", () => {
    const first = { id: 1, trust: 5, owner: "0xaa", nameKey: 1, textKeys: [7], copy: true, nameSince: new Date(0) };
    const other = { id: 2, trust: 50, owner: "0xbb", nameKey: 2, textKeys: [8], copy: false, nameSince: new Date(1) };
    const its = { id: 3, trust: 150, owner: "0xcc", nameKey: 2, textKeys: [7], copy: false, nameSince: new Date(2) };
    expect(hitsOf({ exact: false }, [first, other, its])).toEqual([
      [3, 1],
      [2, 0],
    ]);
    expect(hitsOf({ exact: true, nameKey: 1 }, [first, { ...its, nameKey: 1 }])).toEqual([[3, 1]]);
  });

  it("keep their name where their text is another agent's, and are found by it before all later ones", () => {
    const first = { id: 1, trust: 4, owner: "0xaa", nameKey: 1, textKeys: [7], copy: true, nameSince: new Date(0) };
    const later = { id: 2, trust: 150, owner: "0xbb", nameKey: 1, textKeys: [8], copy: false, nameSince: new Date(1) };
    const trusted = { ...later, id: 3, owner: "0xcc", trust: 300 };
    const partly = { ...later, id: 4, owner: "0xdd", nameKey: 2, exact: false, worth: [0.5] };
    expect(hitsOf({ exact: true }, [first, later, trusted, partly])).toEqual([
      [3, 0],
      [1, 1],
      [4, 0],
    ]);
  });
});
