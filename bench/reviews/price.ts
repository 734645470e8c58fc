/**
 * What it costs an attacker who has read the rules to move an honest agent's value by twenty points. Found with the function
 * itself: more and more of the cheapest is added until the value has moved.
 */
import { type ReviewerFacts, type ReviewsFacts, UNKNOWN_HISTORY } from "../../core/reviews/facts.ts";
import { computeReviews } from "../../core/reviews/stats.ts";
import { DAY, ENDS } from "./world.ts";

/** Assumed prices in cents. */
export const CENTS = {
  /** Gas of one entry on Base: a thousand cost one to five dollars. */
  entry: 0.3,
  /** An account without proof at its best: half a year of waiting, fifty transactions, a payment that comes back. */
  grown: 5,
  /** An account whose holder an exchange has identified, with a document and a face: bought. */
  human: 4_000,
  /** The same account, held by a person who says for money what is wanted. */
  bribe: 500,
};
const MOVED_POINTS = 20;
/** Reviewers without proof: enough for their whole share of the weight when three hundred have proof. */
const CROWD_SIZE = 20;
const MAX_PERSONS = 400;

type Attack = { humans: number; crowd: number };
export type Price = { raw: number; adjusted: number; humans: number };

const attacker = (i: number, known: Partial<ReviewerFacts>): ReviewerFacts => ({
  address: `0xa${i.toString(16).padStart(39, "0")}`,
  ...UNKNOWN_HISTORY,
  firstAt: ENDS - 400 * DAY + i * DAY,
  sent: 80,
  beganAt: ENDS,
  human: false,
  agentCred: null,
  ...{ paid: 100_000, partners: [], returned: false, rated: [] },
  ...known,
});

/** The facts after an attack. @param value what all of it says */
function attacked({ side, reviewers, reviews }: ReviewsFacts, { humans, crowd }: Attack, value: number): ReviewsFacts {
  const added = Array.from({ length: humans + crowd }, (_, i) => attacker(i, { human: i < humans }));
  const said = added.map(({ address }, i) => ({
    reviewer: address,
    index: "1",
    value,
    revoked: false,
    at: ENDS + i * DAY,
    txHash: `attack ${i}`,
    tag: "starred",
  }));
  return { side, reviewers: [...reviewers, ...added], reviews: [...reviews, ...said] };
}

/** The least number of something, from 0 on, with which a value has moved; null where `MAX_PERSONS` are not enough. */
function least(moved: (number: number) => number): number | null {
  for (let number = 0; number <= MAX_PERSONS; number++) if (moved(number) >= MOVED_POINTS) return number;
  return null;
}

const cheaper = (prices: (number | null)[]): number | null =>
  prices.reduce((best, price) => (price !== null && (best === null || price < best) ? price : best), null);

/** In cents, with people at the price that is given; null where the agent has no adjusted value, or nothing moves it. */
export function priceOf(facts: ReviewsFacts, human: number): Price | null {
  const before = computeReviews(facts);
  if (before.raw === null || before.adjusted === null) return null;
  const { raw, adjusted } = before;
  const entries = facts.reviews.filter(({ revoked, value }) => !revoked && value !== null).length;
  const humansFor = (crowd: number, value: number) =>
    least((humans) => Math.abs(computeReviews(attacked(facts, { humans, crowd }, value)).adjusted! - adjusted));
  const rawPrice = cheaper(
    [0, 100].map((value) => {
      // The mean after `n` entries of one account: a second account is not needed.
      const number = least((n) => Math.abs((raw * entries + value * n) / (entries + n) - raw));
      return number === null ? null : number * CENTS.entry;
    }),
  );
  const ways = [0, 100].flatMap((value) =>
    [0, CROWD_SIZE].map((crowd) => ({ humans: humansFor(crowd, value), crowd })),
  );
  const priced = ways
    .filter((way): way is Attack => way.humans !== null)
    .map(({ humans, crowd }) => ({
      humans,
      cents: humans * (human + CENTS.entry) + crowd * (CENTS.grown + CENTS.entry),
    }))
    .sort((a, b) => a.cents - b.cents);
  if (rawPrice === null || priced.length === 0) return null;
  return { raw: rawPrice, adjusted: priced[0]!.cents, humans: priced[0]!.humans };
}
