/** Puts candidates in order, and lets copies and imitations stand behind the agent they are of. */
import { isNear } from "./copies.ts";
import { relevanceOf, type WordClass } from "./ranking.ts";

export type Candidate = {
  id: number;
  /** Thousandths. */
  trust: number;
  owner: string | null;
  nameKey: number | null;
  textKey: number | null;
  simhash: number | null;
  copy: boolean;
  /** Class of each need of the query; null where it has none of the words. */
  found: readonly (WordClass | null)[];
  /** Preferences it does not meet. */
  unmet: number;
};

export type Ranked<C> = { candidate: C; rank: number; relevance: number; trust: number; copies: number };

/** Hits below this share of the best rank are none: a stuffed text that has all the words, a copy, an imitation. */
const LEAST_SHARE = 0.02;
/** Whose name another has with at most this share of the trust is imitated, where the name is what was searched for. */
const IMITATED_SHARE = 0.6;

/** @param weights of the needs, in the order of `found` @returns best first; equal ranks by id */
export function ranked<C extends Candidate>(candidates: readonly C[], weights: readonly number[]): Ranked<C>[] {
  const all = candidates
    .map((candidate) => {
      const needs = weights.map((weight, i) => ({ weight, found: candidate.found[i]! }));
      const relevance = relevanceOf(needs, candidate.unmet);
      const trust = candidate.trust / 1000;
      return { candidate, relevance, trust, rank: relevance * trust, copies: 0 };
    })
    .sort((a, b) => b.rank - a.rank || a.candidate.id - b.candidate.id);
  return relevantOf(withoutCopies(all));
}

function relevantOf<C extends Candidate>(all: readonly Ranked<C>[]): Ranked<C>[] {
  const least = (all[0]?.rank ?? 0) * LEAST_SHARE;
  return all.filter(({ rank }) => rank >= least);
}

const nameOnly = ({ found }: Candidate) => found.length > 0 && found.every((one) => one === "A");

/** The best of each set of copies, with the number of the others. */
function withoutCopies<C extends Candidate>(all: readonly Ranked<C>[]): Ranked<C>[] {
  const kept: Ranked<C>[] = [];
  const byText = new Map<number, Ranked<C>>();
  const byOwner = new Map<string, Ranked<C>[]>();
  const byName = new Map<number, Ranked<C>>();
  for (const one of all) {
    const { textKey, owner, simhash, nameKey } = one.candidate;
    const siblings = owner === null ? [] : (byOwner.get(owner) ?? []);
    const named = nameKey !== null && nameOnly(one.candidate) ? byName.get(nameKey) : undefined;
    const original =
      (textKey === null ? undefined : byText.get(textKey)) ??
      siblings.find(({ candidate }) => isNear(candidate.simhash, simhash)) ??
      (named && named.candidate.owner !== owner && one.trust <= IMITATED_SHARE * named.trust ? named : undefined);
    if (original) {
      original.copies++;
      continue;
    }
    kept.push(one);
    if (textKey !== null) byText.set(textKey, one);
    if (owner !== null) byOwner.set(owner, [...siblings, one]);
    if (nameKey !== null && !byName.has(nameKey)) byName.set(nameKey, one);
  }
  return kept;
}
