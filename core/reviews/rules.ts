/**
 * The rules by which reviews count: one table of evidence with its weights and words, under one version.
 *
 * Everybody can read this, and an account that looks old, busy and independent costs only time and a few cents. So only
 * evidence that costs money each time (`proof`) has a weight of its own. All reviewers without it, of any number, together
 * weigh at most `CROWD` of those with it.
 */
import type { ReviewerFacts } from "./facts.ts";

/** Goes up with every change of this file that changes a figure. */
export const RULES_VERSION = 3;

const [HOUR, DAY] = [3_600, 86_400];

/** What all reviewers without proof weigh together, at most, as a share of what those with proof weigh: they move no value by five points. */
export const CROWD = 0.05;
/** Weight of the unknown in an interval: one more reviewer with proof, who would say 0 or 100. */
export const UNKNOWN_WEIGHT = 1;

/** An account is established from this age and number of transactions on. */
const ESTABLISHED = { seconds: 180 * DAY, sent: 50 };
/** A payment below counts as none, in units of USDC: 10 cents. */
const MIN_PAID_UNITS = 100_000;
/** The tier "qualified" begins here. */
const MIN_CRED = 51;
/** Accounts that the chain first saw within this window came together. */
export const BORN_WINDOW_SECONDS = 6 * HOUR;
/** Reviews within `seconds` are a burst if they are `reviews` or more, and `times` what the agent usually has in that time. */
export const BURST = { seconds: HOUR, reviews: 5, times: 10, usualOver: 7 * DAY };
/** An account has one purpose when its first review is among its first transactions and it paid the agent nothing. */
export const ONE_PURPOSE_SENT = 2;
/** An account is made for its first review if the chain first saw it within `seconds` before; it counts as evidence where `share` of an agent's reviewers are so, and `least` or more. */
export const MADE_FOR = { seconds: 6 * HOUR, share: 0.75, least: 8 };
/** An account woke for a review if it had sent nothing for this time before. */
export const WOKE_AFTER_SECONDS = 180 * DAY;
/** Another agent has the same reviewers if `least` or more of them, and `share` of all its reviewers, review this agent too. */
export const SAME_REVIEWERS = { least: 4, share: 0.5 };
/** Reviewers who share two evidences, neither of them binding, form a cluster from this number on. */
export const MIN_LIKE = 4;
/** Of one reviewer, its newest entries about an agent: the others count nothing. */
export const MAX_ENTRIES = 20;
/** Max tags of an agent that are shown: those with a scale, which are fewer, then those that most reviewers used. */
export const MAX_DIMENSIONS = 12;
/** Max other agents, and max partners, of one reviewer that are read. */
export const MAX_LOOKED_AT = 8;

/** What the value of a rating is at its best, by its first tag: values of other tags have units that say nothing of good or bad. */
export const SCALES: Readonly<Record<string, 1 | 100>> = {
  "": 100,
  starred: 100,
  uptime: 100,
  successRate: 100,
  reachable: 1,
  ownerVerified: 1,
};

/**
 * What a reviewer's weight rests on: the strongest that holds. `proof` has a price each time; all others can be grown, so
 * their weights divide what the crowd has.
 */
export const EVIDENCE_LEVELS = [
  { key: "human", proof: true, weight: 1, says: "An exchange attests on chain that an identified person holds it." },
  { key: "payer", proof: false, weight: 0.8, says: "It had paid this agent, by the Transfer logs." },
  { key: "agent", proof: false, weight: 0.6, says: "It owns an agent here of the tier qualified or above." },
  {
    key: "established",
    proof: false,
    weight: 0.5,
    says: "Before its first review it was half a year old and had sent fifty transactions.",
  },
  { key: "unknown", proof: false, weight: 0.1, says: "Nothing on the chain tells it from an account made for this." },
] as const;
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number]["key"];

const HOLDS: Record<EvidenceLevel, (reviewer: ReviewerFacts) => boolean> = {
  human: ({ human }) => human,
  payer: ({ paid }) => paid >= MIN_PAID_UNITS,
  agent: ({ agentCred }) => agentCred !== null && agentCred >= MIN_CRED,
  established: ({ firstAt, sent, beganAt }) =>
    firstAt !== null && sent !== null && beganAt - firstAt >= ESTABLISHED.seconds && sent >= ESTABLISHED.sent,
  unknown: () => true,
};

/** The strongest that the chain proves about a reviewer: the first of the table that holds. */
export const evidenceLevelOf = (reviewer: ReviewerFacts) => EVIDENCE_LEVELS.find(({ key }) => HOLDS[key](reviewer))!;

/**
 * What reviewers can share. `binding`: it needs an act of each reviewer, so it may connect those with proof too. An attacker
 * can cause the others alone, by accounts that imitate a stranger.
 */
export const SHARED = [
  {
    key: "funder",
    binding: true,
    says: "had their first money from one account, directly or by one between, or one from the other",
  },
  { key: "money", binding: true, says: "had money going both ways between them, or with one account" },
  { key: "transaction", binding: false, says: "were written in one transaction" },
  { key: "born", binding: false, says: "were first seen within hours of each other" },
  { key: "burst", binding: false, says: "wrote within an hour that had many times the usual reviews" },
  {
    key: "one_purpose",
    binding: false,
    says: "had done next to nothing before their first review, and had not paid the agent",
  },
  {
    key: "made_for",
    binding: false,
    says: "were first seen within hours before their first review, as three quarters of this agent's reviewers were",
  },
  { key: "woke", binding: false, says: "had done nothing for half a year before their first review" },
  { key: "same_agents", binding: false, says: "review another agent that hardly anybody else reviews" },
  { key: "returned", binding: false, says: "have agents that this agent's owner reviewed in turn" },
] as const;
export type SharedKey = (typeof SHARED)[number]["key"];

/** Why an entry counts nothing; of several reasons that hold, the first one is shown. */
export const NOTHING = [
  { key: "own", says: "It registered the agent, or is its wallet, or its owner by an act of its own." },
  { key: "own_money", says: "Its first money came from the agent's owner or wallet." },
  { key: "own_circle", says: "It shares its funder and money going both ways with the agent's owner." },
  { key: "taken_back", says: "It was taken back." },
  { key: "no_scale", says: "Its tag does not say what would be good or bad." },
  { key: "older", says: "Its reviewer wrote twenty newer ones about this agent." },
  { key: "no_proof_beside", says: "No reviewer of this agent has proof behind it, so none is weighed." },
] as const;
export type NothingKey = (typeof NOTHING)[number]["key"];

const SAYS = new Map<string, string>([...EVIDENCE_LEVELS, ...SHARED, ...NOTHING].map(({ key, says }) => [key, says]));
/** The words of an evidence. */
export const saysOf = (key: EvidenceLevel | SharedKey | NothingKey): string => SAYS.get(key)!;
