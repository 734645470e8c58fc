/** The API's view of reviews in the canonical ERC-8004 reputation registry: clients by weight, and their entries. Keys are in snake_case, like the directory's rows. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";

/** An entry of the registry. Texts are the client's own. */
export type Review = {
  client: Address;
  index: string;
  /** The integer as written; the value is this divided by 10^`decimals`. */
  value: string;
  decimals: number;
  tag1: string;
  tag2: string;
  uri: string;
  revoked: boolean;
  /** Unix seconds. */
  givenAt: number;
  txHash: string;
  responses: number;
};

/** A client and what it wrote, lower-case. */
export type Reviewer = {
  client: string;
  /** It is the agent's owner or wallet. */
  own: boolean;
  /** The best agent that it owns or is the wallet of. */
  agent: { tokenId: number; name: string; credScore: number } | null;
  /** 0 to 1; null where none of its standing entries has a scale. */
  rating: number | null;
  /** At most `MAX_ENTRIES`, those taken back among them. */
  entries: number;
  takenBack: number;
  /** Unix seconds. */
  firstAt: number;
  lastAt: number;
  latest: Review;
};

/** Entries of one client that are counted. */
export const MAX_ENTRIES = 1_000;

/** Why a client's rating counts, or does not. */
export const STANDINGS = {
  counts: "It has an agent here with a score: its rating counts, by that score.",
  own: "It is the agent's own owner or wallet.",
  taken_back: "It took back all that it wrote.",
  unknown: "It has no agent here with a score.",
  no_scale: "None of its tags says what would be good or bad.",
  beyond: "It is not among the clients that are looked at.",
} as const;
export type Standing = keyof typeof STANDINGS;

const standingOf = ({ own, agent, rating, entries, takenBack }: Reviewer): Exclude<Standing, "counts"> => {
  if (own) return "own";
  if (takenBack === entries) return "taken_back";
  if (agent === null || agent.credScore === 0) return "unknown";
  return rating === null ? "no_scale" : "beyond";
};

/** Max characters of a shown URI; longer ones are cut, because they contain a whole file. */
export const MAX_URI = 2_000;

export const reviewView = ({ client, index, value, decimals, tag1, tag2, uri, revoked, ...rest }: Review) => ({
  client: checksum(client),
  index,
  value: decimalText(value, decimals),
  tags: [tag1, tag2].filter((tag) => tag !== "").map((tag) => tag.slice(0, 64)),
  uri: uri === "" ? null : uri.slice(0, MAX_URI),
  revoked,
  given_at: iso(rest.givenAt),
  tx_hash: rest.txHash,
  responses: rest.responses,
});

/** @param counts whether its rating is one of those that count */
export const reviewerView = (reviewer: Reviewer, counts: boolean) => ({
  client: checksum(reviewer.client as Address),
  standing: counts ? ("counts" as const) : standingOf(reviewer),
  agent: reviewer.agent && {
    token_id: reviewer.agent.tokenId,
    name: reviewer.agent.name,
    cred_score: reviewer.agent.credScore,
  },
  rating: reviewer.rating === null ? null : percent(reviewer.rating),
  entries: reviewer.entries,
  taken_back: reviewer.takenBack,
  first_at: iso(reviewer.firstAt),
  last_at: iso(reviewer.lastAt),
  latest: reviewView(reviewer.latest),
});

/** The mean of ratings that count, each weighed by its client's score, 0 to 100; null without any. */
export const meanRating = (counting: readonly { score: number; rating: number }[]): number | null => {
  const weight = counting.reduce((sum, { score }) => sum + score, 0);
  return weight === 0 ? null : percent(counting.reduce((sum, { score, rating }) => sum + score * rating, 0) / weight);
};

const percent = (share: number): number => Math.round(1_000 * share) / 10;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Divides an integer of any size by a power of ten, exactly, without trailing zeros. */
export function decimalText(integer: string, decimals: number): string {
  const digits = integer.replace("-", "").padStart(decimals + 1, "0");
  const sign = integer.startsWith("-") ? "-" : "";
  const fraction = digits.slice(digits.length - decimals).replace(/(?<!0)0+$/, "");
  return sign + digits.slice(0, digits.length - decimals) + (decimals > 0 && fraction ? `.${fraction}` : "");
}
