/** Puts candidates in order, with copies and imitations after the agent that they are of. */
import { isNear } from "./copies.ts";
import { fused } from "./fusion.ts";
import { nearness, type Positions } from "./nearness.ts";
import type { DiscoverHit, FoundBy } from "./query.ts";
import { besideText, covered, meaningRelevance, relevanceOf, TRUST_POWER } from "./weights.ts";

export type Candidate = {
  id: number;
  /** Thousandths. */
  trust: number;
  /** Who runs it, as its registry knows: an owner, or the holder of a namespace; null where that is not known. */
  owner: string | null;
  nameKey: number | null;
  /** Keys of its texts: a copy has one of those of its original. */
  textKeys: readonly number[];
  /** Of its text and who runs it. */
  siblingKey: number | null;
  simhash: number | null;
  copy: boolean;
  /** When it came to its name; null where that is not known. */
  nameSince: Date | null;
  registeredAt: Date | null;
  /** Its name may be made to look like another one. */
  disguised: boolean;
  /** Its text or its name is for searches, not for readers, and counts for next to nothing. */
  stuffed: boolean;
  /** It is, and looks like that of an older agent. */
  imitation: boolean;
  /** What each need of the query is worth where it was found; 0 where it was not. */
  worth: readonly number[];
  /** All of them are in the name. */
  named: boolean;
  /** One that few agents have is in the name. */
  rarelyNamed: boolean;
  /** The query is its name. */
  exact: boolean;
  /** Lexemes of its document. */
  length: number;
  /** Preferences it does not meet. */
  unmet: number;
};

export type RankedCandidate<C> = Pick<DiscoverHit, "rank" | "relevance" | "trust" | "copies" | "foundBy"> & {
  candidate: C;
};

/** A candidate whose text is near to the query in meaning, 0 to 1. */
export type NearCandidate<C> = { candidate: C; nearness: number };

/** Candidates below this share of the best rank are no hits: copies, imitations, and what is hardly about the query. */
const MIN_SHARE = 0.02;
/** Whose name another has with at most this share of the trust is imitated, where the name is what was searched for. */
const IMITATED_SHARE = 0.6;
/**
 * Of agents with the name that is searched for, a later one is ranked behind the first one if the first one has more than
 * this share of the later one's trust: endpoints that answer add the rest, and they cost nothing. A later agent with still
 * more trust is known for itself.
 */
const FIRST_SHARE = 0.65;

/** Of any `of` consecutive hits at most `most` are one owner's, while hits of other owners are left. */
export const OWNER_SHARE = { most: 3, of: 10 } as const;

/** Candidates whose positions are read: the first ones by all else. */
export const MAX_PLACED = 60;
/** Share of the relevance that words far apart lose. */
const FAR_SHARE = 0.55;
/** A document of this many lexemes keeps its relevance; the longer it is, the less each word says. */
const USUAL_LENGTH = 40;
const LENGTH_POWER = 0.4;
/** What remains of an agent's relevance where the query is another one's name, and it lacks a word of it or is disguised as it. */
const NOT_THE_NAME_FACTOR = 0.6;

/** By all but the nearness of words. @param weights of the needs, in the order of `worth` */
export function inOrder<C extends Candidate>(
  candidates: readonly C[],
  weights: readonly number[],
): RankedCandidate<C>[] {
  // A name can be made of what others search for. Agents that have all its words too lose nothing by it.
  const isName = candidates.some(({ exact, rarelyNamed }) => exact && rarelyNamed);
  const isPlain = candidates.some(({ exact, disguised }) => exact && !disguised);
  const isSetBack = ({ exact, disguised, worth }: Candidate) =>
    exact ? disguised && isPlain : isName && worth.includes(0);
  return candidates
    .map((candidate) => {
      const needs = weights.map((weight, i) => ({ weight, worth: candidate.worth[i]! }));
      const whole = weights.length === 0 || candidate.named;
      const focus = whole ? 1 : Math.min(1, (USUAL_LENGTH / candidate.length) ** LENGTH_POWER);
      const other = isSetBack(candidate) ? NOT_THE_NAME_FACTOR : 1;
      const relevance = relevanceOf(needs, candidate.unmet) * focus * other;
      return placeOf(candidate, relevance, weights.length === 0 ? [] : BY_WORDS);
    })
    .sort(byRank);
}

const BY_WORDS = ["words"] as const;
const BY_MEANING = ["meaning"] as const;
const BY_BOTH = ["words", "meaning"] as const;

function placeOf<C extends Candidate>(
  candidate: C,
  relevance: number,
  foundBy: readonly FoundBy[],
): RankedCandidate<C> {
  const rank = relevance * rankedTrust(candidate) ** TRUST_POWER;
  return { candidate, relevance, trust: candidate.trust / 1000, rank, copies: 0, foundBy };
}

/** Whether the query is its name, and plain: an agent whose text another had before it is still the one that is meant. */
const isMeant = ({ exact, disguised }: Candidate) => exact && !disguised;
/** The trust that a candidate is ranked by. */
const rankedTrust = (candidate: Candidate) =>
  (candidate.copy && isMeant(candidate) ? besideText(candidate.trust) : candidate.trust) / 1000;

const byRank = (a: RankedCandidate<Candidate>, b: RankedCandidate<Candidate>) =>
  b.rank - a.rank || a.candidate.id - b.candidate.id;

/**
 * The final order, best first: words near each other first, copies behind their originals.
 * @param ordered from `inOrder` @param positions of the words in the documents of the first `MAX_PLACED`
 * @param near candidates by meaning, with the same filters; `ordered` may have them too
 * @param known share of the words of the query that any agent has
 */
export function ranked<C extends Candidate>(
  ordered: readonly RankedCandidate<C>[],
  positions: ReadonlyMap<number, Positions>,
  near: readonly NearCandidate<C>[] = [],
  known = 1,
): RankedCandidate<C>[] {
  const placed = ordered.map((one, i) => {
    const places = positions.get(one.candidate.id);
    const near = places ? nearness(places) : i < MAX_PLACED || positions.size === 0 ? 1 : 0;
    const share = 1 - FAR_SHARE * (1 - near);
    return { ...one, relevance: one.relevance * share, rank: one.rank * share };
  });
  const byWords = placed.sort(byRank);
  const all = near.length === 0 ? byWords : together(relevantOf(byWords), near, known);
  return spread(relevantOf(withoutCopies(readable(all))));
}

/** From this fit on, words say what is meant, and meaning breaks ties; at `MEANT_UP_TO` and below it says as much as they do. */
const FITTING_FROM = 0.6;
const MEANT_UP_TO = 0.4;
const MIN_MEANING = 0.05;
/** Below this fit, what has a word of the query has it by chance. */
const BY_CHANCE_BELOW = 0.15;

/** What places by words and by meaning count. @param fit how well the best hit by words answers the query, 0 to 1 */
const weightsOf = (fit: number) => ({
  words: Math.min(1, (fit / BY_CHANCE_BELOW) ** 2),
  meaning: Math.min(1, Math.max(MIN_MEANING, (FITTING_FROM - fit) / (FITTING_FROM - MEANT_UP_TO))),
});

/**
 * One order out of the order by words and the order by meaning: relevance × trust in each, and then by places, because
 * the relevances of the two have no common scale. `rank` is then the share of the best place in both.
 */
function together<C extends Candidate>(
  byWords: readonly RankedCandidate<C>[],
  near: readonly NearCandidate<C>[],
  known: number,
): RankedCandidate<C>[] {
  const byMeaning = near
    .map(({ candidate, nearness: of }) => placeOf(candidate, meaningRelevance(of, candidate.unmet), BY_MEANING))
    .sort(byRank);
  const found = new Map(byMeaning.map((one) => [one.candidate.id, one]));
  for (const one of byWords) {
    const other = found.get(one.candidate.id);
    const both = other && { ...one, relevance: Math.max(one.relevance, other.relevance), foundBy: BY_BOTH };
    found.set(one.candidate.id, both ?? one);
  }
  const [first] = byWords;
  const namesake = byWords.find(({ candidate }) => candidate.exact);
  const fit = Math.max((first?.relevance ?? 0) * covered(known), namesake?.relevance ?? 0);
  // The query means an agent by its name: the first hit has this name, and was found by it.
  const isNamed = first?.candidate.exact || (first?.candidate.rarelyNamed && fit >= BY_CHANCE_BELOW);
  const ids = (list: readonly RankedCandidate<C>[]) => list.map(({ candidate }) => candidate.id);
  const weights = weightsOf(fit);
  return fused([
    { ids: ids(byWords), weight: weights.words },
    { ids: ids(byMeaning), weight: weights.meaning },
  ])
    .map(({ id, share }) => ({ ...found.get(id)!, rank: isNamed && id === first?.candidate.id ? 1 : share }))
    .sort(byRank);
}

/** Without stuffed hits, which have the words of many queries, where another is found; one that is asked for by its name stays. */
function readable<C extends Candidate>(all: readonly RankedCandidate<C>[]): readonly RankedCandidate<C>[] {
  const some = all.filter(({ candidate: { stuffed, exact, worth } }) => !stuffed || exact || worth.length === 0);
  return some.length === 0 ? all : some;
}

function relevantOf<C extends Candidate>(all: readonly RankedCandidate<C>[]): RankedCandidate<C>[] {
  const least = (all[0]?.rank ?? 0) * MIN_SHARE;
  return all.filter(({ rank }) => rank >= least);
}

/**
 * No owner crowds a page out: those of its agents that would are set back behind the next of others, and their rank below
 * that one's.
 */
function spread<C extends Candidate>(all: readonly RankedCandidate<C>[]): RankedCandidate<C>[] {
  const left = new Set(all);
  const placed: RankedCandidate<C>[] = [];
  const counts = new Map<string | null, number>();
  const countOf = ({ candidate: { owner } }: RankedCandidate<C>) => (owner === null ? 0 : (counts.get(owner) ?? 0));
  const count = (one: RankedCandidate<C>, by: number) => counts.set(one.candidate.owner, countOf(one) + by);
  while (left.size > 0) {
    const passed = placed.at(-OWNER_SHARE.of);
    if (passed) count(passed, -1);
    const [first] = left;
    const one = left.values().find((next) => countOf(next) < OWNER_SHARE.most) ?? first!;
    left.delete(one);
    count(one, 1);
    const before = placed.at(-1);
    // Ranks follow the order: the next page begins behind a rank.
    placed.push(before && byRank(before, one) > 0 ? { ...one, rank: before.rank * (1 - Number.EPSILON) } : one);
  }
  return placed;
}

const isOneOwner = (a: Candidate, b: Candidate): boolean => a.owner !== null && a.owner === b.owner;

/** Whether an agent adds no text to another one: it is a copy, or the same owner's. Of two that are no copies both are shown. */
const addsNoText = (one: Candidate, other: Candidate): boolean =>
  (one.copy && (!isMeant(one) || isMeant(other))) ||
  (isOneOwner(one, other) && one.textKeys.every((key) => other.textKeys.includes(key)));

const age = (at: Date | null) => at?.getTime() ?? Number.MAX_SAFE_INTEGER;

/** Whether a hit had its name before another one, and neither the name nor a text that is the other's say that it is a second one. */
function isOlder({ candidate: a }: RankedCandidate<Candidate>, { candidate: b }: RankedCandidate<Candidate>): boolean {
  if (a.stuffed || (a.disguised && !b.disguised)) return false;
  if (a.copy && !b.copy && a.textKeys.some((key) => b.textKeys.includes(key))) return false;
  const by = age(a.nameSince) - age(b.nameSince) || age(a.registeredAt) - age(b.registeredAt);
  return by < 0;
}

/**
 * Whether a hit is ranked behind another one of its name: where the name is searched for, unless it is trusted clearly more;
 * elsewhere only if it is trusted clearly less. An older one is never behind a younger one, whose trust may be manufactured;
 * nor is a marked imitation behind one that is trusted clearly less.
 */
function isBehindNamesake(one: RankedCandidate<Candidate>, named: RankedCandidate<Candidate>): boolean {
  const { imitation, named: isNamed, rarelyNamed } = one.candidate;
  if (isOneOwner(named.candidate, one.candidate) || isOlder(one, named)) return false;
  const [later, first] = [rankedTrust(one.candidate), rankedTrust(named.candidate)];
  if (imitation) return first > IMITATED_SHARE * later;
  if (isNamed || rarelyNamed) return first > FIRST_SHARE * later;
  return later <= IMITATED_SHARE * first;
}

/** The hits that came after another owner's agent to a name that is the query, or has one of its words that few have. */
function laterNamesakes<C extends Candidate>(all: readonly RankedCandidate<C>[]): ReadonlySet<RankedCandidate<C>> {
  const asked = all.filter(
    ({ candidate: { exact, rarelyNamed, nameKey } }) => (exact || rarelyNamed) && nameKey !== null,
  );
  const later = [...Map.groupBy(asked, ({ candidate }) => candidate.nameKey).values()].flatMap((namesakes) => {
    const first = namesakes.reduce((oldest, one) => (isOlder(one, oldest) ? one : oldest));
    return namesakes.filter((one) => !isOneOwner(one.candidate, first.candidate) && isOlder(first, one));
  });
  return new Set(later);
}

/** Whether a hit has each need of the query that another one has. */
const hasAllOf = (one: RankedCandidate<Candidate>, other: RankedCandidate<Candidate>) =>
  other.candidate.worth.every((worth, need) => worth === 0 || one.candidate.worth[need]! > 0);

/** Hits by a key that several may have. */
class ByKey<K, H> {
  readonly #hits = new Map<K, H[]>();
  of(key: K | null): readonly H[] {
    return key === null ? [] : (this.#hits.get(key) ?? []);
  }
  add(key: K | null, hit: H): void {
    if (key === null) return;
    const known = this.#hits.get(key);
    if (known) known.push(hit);
    else this.#hits.set(key, [hit]);
  }
}

/** What may be a copy or an imitation comes after all that it may be of, though it may be ranked before it. */
const TURNS = ["original", "meant copy", "namesake", "copy"] as const;

function turnOf(one: Candidate, isLaterNamesake: boolean): (typeof TURNS)[number] {
  if (one.copy && !isMeant(one)) return "copy";
  if (one.imitation || isLaterNamesake) return "namesake";
  return one.copy ? "meant copy" : "original";
}

/** The best of each set of copies, with the number of the others. */
function withoutCopies<C extends Candidate>(all: readonly RankedCandidate<C>[]): RankedCandidate<C>[] {
  const kept: RankedCandidate<C>[] = [];
  const byText = new ByKey<number, RankedCandidate<C>>();
  const bySibling = new ByKey<number, RankedCandidate<C>>();
  const byOwner = new ByKey<string, RankedCandidate<C>>();
  const byName = new ByKey<number, RankedCandidate<C>>();
  const later = laterNamesakes(all);
  const turn = (one: RankedCandidate<C>) => TURNS.indexOf(turnOf(one.candidate, later.has(one)));
  for (const one of all.toSorted((a, b) => turn(a) - turn(b))) {
    const { textKeys, siblingKey, owner, simhash, nameKey } = one.candidate;
    const alike = textKeys.flatMap((key) => byText.of(key));
    const original =
      alike.find(({ candidate }) => addsNoText(one.candidate, candidate)) ??
      byOwner.of(owner).find(({ candidate }) => isNear(candidate.simhash, simhash)) ??
      bySibling.of(siblingKey).find((sibling) => hasAllOf(sibling, one)) ??
      byName.of(nameKey).find((named) => isBehindNamesake(one, named));
    if (original) {
      original.copies++;
      continue;
    }
    kept.push(one);
    for (const key of textKeys) byText.add(key, one);
    bySibling.add(siblingKey, one);
    byOwner.add(owner, one);
    byName.add(nameKey, one);
  }
  return kept.sort(byRank);
}
