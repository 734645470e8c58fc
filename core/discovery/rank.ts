/** Puts candidates in order, and lets copies and imitations stand behind the agent they are of. */
import { isNear } from "./copies.ts";
import { nearness, type Positions } from "./nearness.ts";
import { relevanceOf, TRUST_POWER } from "./ranking.ts";

export type Candidate = {
  id: number;
  /** Thousandths. */
  trust: number;
  owner: string | null;
  nameKey: number | null;
  textKey: number | null;
  simhash: number | null;
  copy: boolean;
  /** What each need of the query is worth where it was found; 0 where it was not. */
  worth: readonly number[];
  /** All of them are in the name. */
  named: boolean;
  /** The query is its name. */
  exact: boolean;
  /** Lexemes of its document. */
  length: number;
  /** Preferences it does not meet. */
  unmet: number;
};

export type Ranked<C> = { candidate: C; rank: number; relevance: number; trust: number; copies: number };

/** Hits below this share of the best rank are none: a stuffed text that has all the words, a copy, an imitation. */
const LEAST_SHARE = 0.02;
/** Whose name another has with at most this share of the trust is imitated, where the name is what was searched for. */
const IMITATED_SHARE = 0.6;

/** Candidates whose positions are read: the first ones by all else. */
export const MAX_PLACED = 120;
/** Share of the relevance that words far apart lose. */
const FAR_SHARE = 0.55;
/** A document of this many lexemes keeps its relevance; the longer it is, the less each word says. */
const USUAL_LENGTH = 40;
const LENGTH_POWER = 0.4;
/** What remains of an agent's relevance where the query is another one's name. */
const NOT_THE_NAME = 0.6;

/** By all but the nearness of words. @param weights of the needs, in the order of `worth` */
export function inOrder<C extends Candidate>(candidates: readonly C[], weights: readonly number[]): Ranked<C>[] {
  const isName = candidates.some(({ exact }) => exact);
  return candidates
    .map((candidate) => {
      const needs = weights.map((weight, i) => ({ weight, worth: candidate.worth[i]! }));
      const whole = weights.length === 0 || candidate.named;
      const focus = whole ? 1 : Math.min(1, (USUAL_LENGTH / candidate.length) ** LENGTH_POWER);
      const other = isName && !candidate.exact ? NOT_THE_NAME : 1;
      const relevance = relevanceOf(needs, candidate.unmet) * focus * other;
      const trust = candidate.trust / 1000;
      return { candidate, relevance, trust, rank: relevance * trust ** TRUST_POWER, copies: 0 };
    })
    .sort(byRank);
}

const byRank = (a: Ranked<Candidate>, b: Ranked<Candidate>) => b.rank - a.rank || a.candidate.id - b.candidate.id;

/**
 * The final order, best first: words near each other first, copies behind their originals.
 * @param ordered from `inOrder` @param positions of the words in the documents of the first `MAX_PLACED`
 */
export function ranked<C extends Candidate>(
  ordered: readonly Ranked<C>[],
  positions: ReadonlyMap<number, Positions>,
): Ranked<C>[] {
  const placed = ordered.map((one, i) => {
    const places = positions.get(one.candidate.id);
    const near = places ? nearness(places) : i < MAX_PLACED || positions.size === 0 ? 1 : 0;
    const share = 1 - FAR_SHARE * (1 - near);
    return { ...one, relevance: one.relevance * share, rank: one.rank * share };
  });
  return relevantOf(withoutCopies(placed.sort(byRank)));
}

function relevantOf<C extends Candidate>(all: readonly Ranked<C>[]): Ranked<C>[] {
  const least = (all[0]?.rank ?? 0) * LEAST_SHARE;
  return all.filter(({ rank }) => rank >= least);
}

/** The best of each set of copies, with the number of the others. */
function withoutCopies<C extends Candidate>(all: readonly Ranked<C>[]): Ranked<C>[] {
  const kept: Ranked<C>[] = [];
  const byText = new Map<number, Ranked<C>>();
  const byOwner = new Map<string, Ranked<C>[]>();
  const byName = new Map<number, Ranked<C>>();
  for (const one of all) {
    const { textKey, owner, simhash, nameKey } = one.candidate;
    const siblings = owner === null ? [] : (byOwner.get(owner) ?? []);
    const named = nameKey === null ? undefined : byName.get(nameKey);
    const original =
      (textKey === null ? undefined : byText.get(textKey)) ??
      siblings.find(({ candidate }) => isNear(candidate.simhash, simhash)) ??
      (named && named.candidate.owner !== owner && (one.candidate.named || one.trust <= IMITATED_SHARE * named.trust)
        ? named
        : undefined);
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
