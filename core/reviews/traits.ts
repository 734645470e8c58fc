/** What each reviewer of an agent has that others may have too: the evidences of core/reviews/rules.ts, each with which funder, which hour. */
import { isPrivate } from "../public-parties.ts";
import type { Party, ReviewEntry, ReviewerFacts, ReviewsFacts } from "./facts.ts";
import {
  BORN_WINDOW_SECONDS,
  BURST,
  MADE_FOR,
  MAX_LOOKED_AT,
  ONE_PURPOSE_SENT,
  SAME_REVIEWERS,
  type SharedKey,
  WOKE_AFTER_SECONDS,
} from "./rules.ts";

/** An evidence with its instance: the same `id` is the same funder, the same hour. */
export type Trait = { evidence: SharedKey; id: string };

/** The addresses among some parties that are private: to have money of another in common says nothing. */
export const privateOf = (parties: readonly (Party | null)[]): string[] =>
  parties.flatMap((party) => (party !== null && isPrivate(party.sent, party.address) ? [party.address] : []));

/**
 * Who gave a reviewer the first money that it spent, and who gave it to them, without those that serve the public. Anybody
 * can send a cent to an account that pays no gas itself: of a person who had sent nothing before, the cent says nothing.
 */
export const fundersOf = ({ funder, origin, sent, human }: ReviewerFacts) =>
  human && !sent ? { funder: [], origin: [] } : { funder: privateOf([funder]), origin: privateOf([origin]) };

/** The traits of each reviewer that another has too, by its address. */
export function sharedTraits({ reviewers, reviews }: ReviewsFacts): Map<string, Trait[]> {
  const first = firstEntries(reviews);
  const bursts = burstsOf([...first.values()]);
  const here = countOf(reviewers.flatMap(({ rated }) => distinct(rated.map(({ agent }) => agent))));
  const made = reviewers.filter(isMadeFor).length;
  const oftenMade = made >= Math.max(MADE_FOR.least, MADE_FOR.share * reviewers.length);
  const traits = new Map(
    reviewers.map((one) => {
      const entry = first.get(one.address);
      const named: Record<SharedKey, string[]> = {
        // With its own address: it may be the funder or the partner of another.
        funder: [one.address, ...Object.values(fundersOf(one)).flat()],
        money: [one.address, ...privateOf(one.partners).sort().slice(0, MAX_LOOKED_AT)],
        transaction: entry ? [entry.txHash] : [],
        born: one.firstAt === null ? [] : windowsOf(one.firstAt, BORN_WINDOW_SECONDS),
        burst: entry ? windowsOf(entry.at, BURST.seconds).filter((window) => bursts.has(window)) : [],
        one_purpose: hasOnePurpose(one) ? [""] : [],
        made_for: isMadeFor(one) && oftenMade ? [""] : [],
        woke: hasWoken(one) ? [""] : [],
        same_agents: sameAgents(one, here),
        returned: one.returned ? [""] : [],
      };
      const all = Object.entries(named).flatMap(([evidence, names]) =>
        distinct(names).map((name) => ({ evidence: evidence as SharedKey, id: `${evidence} ${name}` })),
      );
      return [one.address, all] as const;
    }),
  );
  const holders = countOf([...traits.values()].flatMap((all) => all.map(({ id }) => id)));
  return new Map([...traits].map(([address, all]) => [address, all.filter(({ id }) => holders.get(id)! > 1)]));
}

function firstEntries(reviews: readonly ReviewEntry[]): Map<string, ReviewEntry> {
  const first = new Map<string, ReviewEntry>();
  for (const entry of reviews) {
    const known = first.get(entry.reviewer);
    if (!known || entry.at < known.at || (entry.at === known.at && entry.txHash < known.txHash))
      first.set(entry.reviewer, entry);
  }
  return first;
}

/** Windows that overlap by half: two times within half a window of each other always have one in common. */
const windowsOf = (at: number, seconds: number): string[] => {
  const place = Math.floor(at / (seconds / 2));
  return [String(place - 1), String(place)];
};

/** The windows in which far more reviewers came than usually. */
function burstsOf(entries: readonly ReviewEntry[]): Set<string> {
  const times = entries.map(({ at }) => at).sort((a, b) => a - b);
  const span = Math.max(BURST.usualOver, (times.at(-1) ?? 0) - (times[0] ?? 0));
  const least = Math.max(BURST.reviews, (BURST.times * times.length * BURST.seconds) / span);
  const windows = countOf(times.flatMap((at) => windowsOf(at, BURST.seconds)));
  return new Set([...windows].filter(([, reviews]) => reviews >= least).map(([window]) => window));
}

const hasOnePurpose = ({ sent, paid }: ReviewerFacts): boolean =>
  sent !== null && sent <= ONE_PURPOSE_SENT && paid <= 0;

const isMadeFor = ({ firstAt, beganAt }: ReviewerFacts): boolean =>
  firstAt !== null && beganAt - firstAt <= MADE_FOR.seconds;

const hasWoken = ({ previousAt, beganAt }: ReviewerFacts): boolean =>
  previousAt !== null && beganAt - previousAt >= WOKE_AFTER_SECONDS;

/**
 * Other agents that it reviewed and that are reviewed by the reviewers of this agent above all, the least known first.
 * @param here how many reviewers of this agent reviewed each
 */
const sameAgents = ({ rated }: ReviewerFacts, here: ReadonlyMap<string, number>): string[] =>
  rated
    .filter(({ agent, reviewers }) => {
      const common = here.get(agent)!;
      return common >= SAME_REVIEWERS.least && common >= SAME_REVIEWERS.share * reviewers;
    })
    .sort((a, b) => a.reviewers - b.reviewers || (a.agent < b.agent ? -1 : 1))
    .slice(0, MAX_LOOKED_AT)
    .map(({ agent }) => agent);

const distinct = (names: readonly string[]): string[] => [...new Set(names)];

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
