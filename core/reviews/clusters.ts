/** Which reviewers of an agent count as one: those that share at least two evidences (core/reviews/rules.ts). */
import type { ReviewsFacts } from "./facts.ts";
import { evidenceLevelOf, MIN_LIKE, SHARED, type SharedKey } from "./rules.ts";
import { sharedTraits, type Trait } from "./traits.ts";

/** Reviewers that count as one. */
export type Cluster = {
  /** Its least address. */
  id: string;
  /** Two or more, in the order of their addresses. */
  reviewers: string[];
  /** What connects them, in the order of the table. */
  shares: SharedKey[];
};

/** The reviewers that have the same two traits. */
type Pair = { shares: [SharedKey, SharedKey]; members: string[] };

const KEYS: readonly SharedKey[] = SHARED.map(({ key }) => key);
const BINDING = new Set<SharedKey>(SHARED.filter(({ binding }) => binding).map(({ key }) => key));

/**
 * The clusters of an agent's reviewers, separately for those with proof and those without. What a reviewer with proof shares
 * with one without connects it with no one: anybody can make accounts that share something with a stranger.
 */
export function clustersOf({ side, reviewers, reviews }: ReviewsFacts): Cluster[] {
  const layers = Map.groupBy(reviewers, (one) => evidenceLevelOf(one).proof);
  const clusters = [...layers].flatMap(([proof, members]) => {
    const addresses = new Set(members.map(({ address }) => address));
    const entries = reviews.filter(({ reviewer }) => addresses.has(reviewer));
    return connected({ side, reviewers: members, reviews: entries }, proof);
  });
  return clusters.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Two reviewers belong together when they share two evidences of different kinds. One of these must be binding; or neither
 * has proof, and `MIN_LIKE` or more share them. The time it takes grows with the number of reviewers alone.
 */
function connected(facts: ReviewsFacts, proof: boolean): Cluster[] {
  const parents = new Map<string, string>();
  const links: { shares: SharedKey[]; member: string }[] = [];
  for (const { shares, members } of pairsOf(sharedTraits(facts))) {
    const binding = shares.some((key) => BINDING.has(key));
    if (!binding && (proof || members.length < MIN_LIKE)) continue;
    if (members.length < 2) continue;
    for (const address of members) join(parents, members[0]!, address);
    links.push({ shares, member: members[0]! });
  }
  const shares = Map.groupBy(links, ({ member }) => rootOf(parents, member));
  return [...Map.groupBy(parents.keys(), (address) => rootOf(parents, address))].map(([id, reviewers]) => {
    const all = new Set(shares.get(id)!.flatMap((one) => one.shares));
    return { id, reviewers: reviewers.sort(), shares: KEYS.filter((key) => all.has(key)) };
  });
}

/** Who has which two traits of different kinds. */
function pairsOf(traits: ReadonlyMap<string, readonly Trait[]>): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [address, all] of traits) {
    const inOrder = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const [i, one] of inOrder.entries())
      for (const other of inOrder.slice(i + 1)) {
        if (one.evidence === other.evidence) continue;
        const key = `${one.id}, ${other.id}`;
        const pair = pairs.get(key);
        if (pair) pair.members.push(address);
        else pairs.set(key, { shares: [one.evidence, other.evidence], members: [address] });
      }
  }
  return [...pairs.values()];
}

/** The least member of the set that an address is in; those that are in none are their own. */
function rootOf(parents: Map<string, string>, address: string): string {
  let root = address;
  for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
    root = parent;
  // What was walked through leads there at once from now on.
  for (let at = address; at !== root; ) {
    const next = parents.get(at)!;
    parents.set(at, root);
    at = next;
  }
  return root;
}

/** Makes one set of two: its root is the lesser address, so that the order of joining does not show. */
function join(parents: Map<string, string>, one: string, other: string): void {
  const [least, most] = [rootOf(parents, one), rootOf(parents, other)].sort() as [string, string];
  parents.set(least, least);
  parents.set(most, least);
}
