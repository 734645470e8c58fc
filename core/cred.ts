/** The cred score: one table of signals, and the score, tier and breakdown that follow from it. */

import type { AgentFacts, RawSignals, SignalKey } from "./facts.ts";
import { mintOriginAt } from "./mint-origins.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "./profile.ts";
import { PROOF_PLATFORMS } from "./proof-platforms.ts";
import { isBlank, listed } from "./text.ts";
import { tierOf } from "./tiers.ts";
import { countedTraits } from "./traits.ts";

export type Signal = {
  key: SignalKey;
  label: string;
  description: string;
  /** Per cent of the score, an integer: sums of products stay exact. */
  weight: number;
  /** The raw value, an integer from 0 to 100. */
  raw(facts: AgentFacts, now: Date): number;
};

export const POINT_VALUE = 2;
export const TRAIT_VALUE = 12;
/** Each of the wallet and the social proofs, up to 100. */
export const PROOF_VALUE = 25;
export const NARRATIVE_VALUE = 25;
export const DAY_VALUE = 5;
export const DAY_SECONDS = 86_400;
/** States of a proof record that count. A stale one (its platform could not be asked of late) still stands. */
export const STANDING = ["verified", "stale"] as const;

/** The formula (spec: Cred Score System). Adding a signal is one row here, its column in `offchain.cred` and its SQL. */
export const SIGNALS: readonly Signal[] = [
  {
    key: "activity",
    label: "Onchain Activity",
    description: "Points awarded on chain, times 2",
    weight: 20,
    raw: (facts) => clamp(facts.points * POINT_VALUE),
  },
  {
    key: "traits",
    label: "Trait Richness",
    description: "Number of traits, times 12",
    weight: 15,
    raw: (facts) => clamp(countedTraits(facts.traits).length * TRAIT_VALUE),
  },
  {
    key: "verify",
    label: "Verification Status",
    description: `25 for each of the wallet and the accounts on ${listed(PROOF_PLATFORMS.map(({ label }) => label))} that are proven`,
    weight: 15,
    raw: (facts) => clamp((Number(facts.verified) + standingProofs(facts).length) * PROOF_VALUE),
  },
  {
    key: "coinbase",
    label: "Exchange Attestation",
    description: "The exchange attests the current owner's account",
    weight: 15,
    raw: (facts, now) => (exchangeCounts(facts, now) ? 100 : 0),
  },
  {
    key: "age",
    label: "Account Age",
    description: "Whole days since registration, times 5",
    weight: 10,
    raw: (facts, now) => clamp(ageDays(facts, now) * DAY_VALUE),
  },
  {
    key: "narrative",
    label: "Narrative Completeness",
    description: "25 for each of origin, mission, lore and manifesto",
    weight: 10,
    raw: (facts) => {
      const narrative = mergeNarrative(facts);
      return NARRATIVE_FIELDS.filter((field) => !isBlank(narrative[field])).length * NARRATIVE_VALUE;
    },
  },
  {
    key: "origin",
    label: "Mint Origin",
    description: "How the agent was registered: by itself 100, by a human 80, by the API 70, by the owner 50",
    weight: 10,
    raw: (facts) => mintOriginAt(facts.origin).raw,
  },
  {
    key: "soulbound",
    label: "Soulbound Status",
    description: "The identity is locked to its wallet",
    weight: 5,
    raw: (facts) => (facts.soulbound ? 100 : 0),
  },
];

/** One row of the breakdown: `weight` from 0 to 1, `weightedScore` = weight · rawScore. */
export type Weighted = { weight: number; rawScore: number; weightedScore: number };
export type Breakdown = Record<SignalKey, Weighted>;
export type Cred = { score: number; raw: RawSignals; breakdown: Breakdown };

/** Score and breakdown of an agent at a moment. */
export function credOf(facts: AgentFacts, now: Date): Cred {
  const raw = bySignal((signal) => signal.raw(facts, now));
  return { score: scoreOf(raw), raw, breakdown: breakdownOf(raw) };
}

/** The score of eight raw values: Σ weight · raw, rounded half up, in integers so that .5 is .5. */
export const scoreOf = (raw: RawSignals): number =>
  Math.floor((SIGNALS.reduce((sum, { key, weight }) => sum + weight * raw[key], 0) + 50) / 100);

/** The share each signal has in the score. */
export const breakdownOf = (raw: RawSignals): Breakdown =>
  bySignal(({ key, weight }) => ({
    weight: weight / 100,
    rawScore: raw[key],
    weightedScore: (weight * raw[key]) / 100,
  }));

/**
 * The cred every view shows: the stored one, so that list, detail, gate and card tell the same number; until it is
 * first computed, the formula over the facts.
 */
export function shownCred(facts: AgentFacts, now: Date) {
  const { score, raw, computedAt } = facts.cred ?? { ...credOf(facts, now), computedAt: now.toISOString() };
  return { score, raw, computedAt, tier: tierOf(score) };
}

/** Proof records that count; a lapsed one does not. */
export const standingProofs = (facts: Pick<AgentFacts, "proofs">) =>
  facts.proofs.filter((proof) => STANDING.some((status) => status === proof.status));

/** The exchange's attestation counts while the one it rests on, of all those of its owner, is valid and names the current owner. */
export function exchangeCounts(facts: Pick<AgentFacts, "exchange" | "owner">, now: Date): boolean {
  const { exchange, owner } = facts;
  if (exchange === null) return false;
  const alive = exchange.revokedAt === 0 && (exchange.expiresAt === 0 || exchange.expiresAt > unixSeconds(now));
  return alive && exchange.recipient === owner;
}

/** Whole days since registration, never negative. */
export const ageDays = (facts: Pick<AgentFacts, "mintedAt">, now: Date): number =>
  Math.max(0, Math.floor((unixSeconds(now) - facts.mintedAt) / DAY_SECONDS));

/** The clock of the chain: whole seconds. SQL computes with the same number. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const clamp = (value: number): number => Math.min(100, Math.max(0, value));

const bySignal = <T>(value: (signal: Signal) => T) =>
  Object.fromEntries(SIGNALS.map((signal) => [signal.key, value(signal)])) as Record<SignalKey, T>;
