/** The cred of a human: one table of signals with two sets of weights, and the score and breakdown computed from it. */
import { shownCred, validProofs } from "../cred/cred.ts";
import { tierOf } from "../cred/tiers.ts";
import { unixSeconds } from "../times.ts";
import type { HumanFacts } from "./facts.ts";

export const HUMAN_SIGNAL_KEYS = [
  "verifiedIdentity",
  "linkedAgents",
  "socialReputation",
  "onchainHistory",
  "workHistory",
  "networkEndorsements",
  "profileCompleteness",
  "longevity",
] as const;
export type HumanSignalKey = (typeof HUMAN_SIGNAL_KEYS)[number];

export type HumanSignal = {
  key: HumanSignalKey;
  description: string;
  /** Weights in per cent of the score, integers: for humans with a wallet, and for humans without one. */
  weight: { wallet: number; noWallet: number };
  /** The raw value, an integer from 0 to 100; null: unknown. */
  raw(facts: HumanFacts, now: Date): number | null;
};

const ATTESTATION_VALUE = 70;
const LINKED_ACCOUNT_VALUE = 30;
/** The highest score at Ethos. */
const MAX_ETHOS = 2_800;
const TRANSACTION_VALUE = 45;
const SESSION_VALUE = 5;
const REFERRAL_VALUE = 10;
const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;

/** Optional parts of a profile. With all parts filled the signal is 100. */
export const PROFILE_PARTS = {
  description: (facts: HumanFacts) => facts.description !== "",
  image: (facts: HumanFacts) => facts.image !== null,
  organization: (facts: HumanFacts) => facts.organization !== "",
  skills: (facts: HumanFacts) => facts.skills.length > 0,
  domains: (facts: HumanFacts) => facts.domains.length > 0,
  linkedAccounts: (facts: HumanFacts) => Object.keys(facts.linkedAccounts).length > 0,
  services: (facts: HumanFacts) => Object.keys(facts.services).length > 0,
  contact: (facts: HumanFacts) => facts.hasEmail || facts.hasTelegram,
} satisfies Record<string, (facts: HumanFacts) => boolean>;
export type ProfilePart = keyof typeof PROFILE_PARTS;

/** The filled parts of a profile, in the order of the table. */
export const filledParts = (facts: HumanFacts): ProfilePart[] =>
  (Object.keys(PROFILE_PARTS) as ProfilePart[]).filter((part) => PROFILE_PARTS[part](facts));

/**
 * The formula (api-contract, section 5). Statements of a human change profileCompleteness only; every other signal is
 * read from the index, the chain, or a record of this service.
 */
export const HUMAN_SIGNALS: readonly HumanSignal[] = [
  {
    key: "verifiedIdentity",
    description: "70 for a valid exchange attestation of the wallet, 30 for an account that a linked agent has proven",
    weight: { wallet: 20, noWallet: 0 },
    raw: (facts, now) => {
      const proven = provenAccounts(facts).length > 0;
      // Without a wallet, an attestation of the exchange cannot be looked up.
      if (facts.wallet === null && !proven) return null;
      return (isAttested(facts, now) ? ATTESTATION_VALUE : 0) + (proven ? LINKED_ACCOUNT_VALUE : 0);
    },
  },
  {
    key: "linkedAgents",
    description: "The cred score of the best linked agent",
    weight: { wallet: 20, noWallet: 25 },
    raw: ({ agents }, now) => Math.max(0, ...agents.map((agent) => shownCred(agent, now).score)),
  },
  {
    key: "socialReputation",
    description: "The Ethos score, of 2800; without a wallet the best one among the linked agents",
    weight: { wallet: 15, noWallet: 25 },
    raw: (facts) => {
      const score = ethosScore(facts);
      return score === null ? null : clamp((score * 100) / MAX_ETHOS);
    },
  },
  {
    key: "onchainHistory",
    description: "log10(transactions sent + 1), times 45",
    weight: { wallet: 10, noWallet: 0 },
    raw: ({ transactions }) =>
      transactions === null ? null : clamp(Math.log10(transactions.value + 1) * TRANSACTION_VALUE),
  },
  {
    key: "workHistory",
    description: "Sessions with linked agents that ended in success, times 5",
    weight: { wallet: 15, noWallet: 20 },
    raw: ({ sessionSuccesses }) => clamp(sessionSuccesses * SESSION_VALUE),
  },
  {
    key: "networkEndorsements",
    description: "Agents registered with the referral codes of linked agents, times 10",
    weight: { wallet: 10, noWallet: 10 },
    raw: ({ referrals }) => clamp(referrals * REFERRAL_VALUE),
  },
  {
    key: "profileCompleteness",
    description: "How much of the profile is told",
    weight: { wallet: 5, noWallet: 10 },
    raw: (facts) => clamp((100 * filledParts(facts).length) / Object.keys(PROFILE_PARTS).length),
  },
  {
    key: "longevity",
    description: "Days since registration, of 365",
    weight: { wallet: 5, noWallet: 10 },
    raw: (facts, now) => clamp((100 * principalAgeDays(facts, now)) / YEAR_DAYS),
  },
];

/** One row of the breakdown; `contribution` = raw · weight / 100, and 0 while the raw value is unknown. */
type HumanComponent = { weight: number; raw: number; contribution: number; known: boolean };
export type HumanCred = {
  score: number;
  tier: ReturnType<typeof tierOf>;
  breakdown: Record<HumanSignalKey, HumanComponent>;
};

/** Score, tier and breakdown of a human: Σ weight · raw, rounded half up. Computed in integers, so .5 is exact. */
export function humanCredOf(facts: HumanFacts, now: Date): HumanCred {
  const weights = facts.wallet === null ? "noWallet" : "wallet";
  const components = HUMAN_SIGNALS.map((signal): [HumanSignalKey, HumanComponent] => {
    const weight = signal.weight[weights];
    const raw = signal.raw(facts, now);
    return [signal.key, { weight, raw: raw ?? 0, contribution: (weight * (raw ?? 0)) / 100, known: raw !== null }];
  });
  const sum = components.reduce((total, [, { weight, raw }]) => total + weight * raw, 0);
  const score = Math.floor((sum + 50) / 100);
  return { score, tier: tierOf(score), breakdown: Object.fromEntries(components) as HumanCred["breakdown"] };
}

/** Whether the exchange's attestation of the wallet is valid at `now`. */
export const isAttested = ({ attestation }: Pick<HumanFacts, "attestation">, now: Date): boolean =>
  attestation !== null && (attestation.expiresAt === 0 || attestation.expiresAt > unixSeconds(now));

/**
 * Accounts with valid proofs by linked agents: the only linked accounts that count. Proofs that an agent gave for a former
 * owner are excluded.
 */
export const provenAccounts = ({ agents }: Pick<HumanFacts, "agents">) =>
  agents.flatMap((agent) =>
    validProofs(agent)
      .filter(({ verifiedAt }) => agent.heldSince === null || Date.parse(verifiedAt) >= agent.heldSince * 1000)
      .map(({ platform, handle }) => ({ tokenId: agent.tokenId, platform, handle })),
  );

/** The Ethos score that counts; null when it is unknown. */
export function ethosScore({ wallet, ethos, agents }: Pick<HumanFacts, "wallet" | "ethos" | "agents">): number | null {
  if (wallet !== null) return ethos?.value ?? null;
  const scores = agents.flatMap((agent) => (agent.ethosScore === null ? [] : [agent.ethosScore]));
  return scores.length > 0 ? Math.max(...scores) : null;
}

/** Whole days since registration, at least 0. */
const principalAgeDays = ({ createdAt }: Pick<HumanFacts, "createdAt">, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(createdAt)) / DAY_MS));

/** Rounds half up and limits to 0 to 100. */
const clamp = (value: number): number => Math.min(100, Math.max(0, Math.floor(value + 0.5)));
