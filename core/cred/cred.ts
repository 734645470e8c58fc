/** The cred score: score, tier and breakdown, computed from the list of signals. */
import type { AgentFacts } from "../agents/facts.ts";
import type { Signal } from "../signals/signal.ts";
import { type RawSignals, SIGNALS, type SignalKey } from "../signals/signals.ts";
import { tierOf } from "./tiers.ts";

export { ageDays } from "../signals/age.ts";
export { exchangeCounts } from "../signals/coinbase.ts";
export { validProofs } from "../signals/verify.ts";
export { SIGNALS };

/** One row of the breakdown: `weight` from 0 to 1, `weightedScore` = weight · rawScore. */
type WeightedScore = { weight: number; rawScore: number; weightedScore: number };
export type Breakdown = Record<SignalKey, WeightedScore>;
export type Cred = { score: number; raw: RawSignals; breakdown: Breakdown };

/** Score and breakdown of an agent at `now`. @param signals here and below: other than `SIGNALS` in tests only */
export function credOf(facts: AgentFacts, now: Date, signals: readonly Signal[] = SIGNALS): Cred {
  const raw = bySignal(signals, (signal) => signal.raw(facts, now));
  return { score: scoreOf(raw, signals), raw, breakdown: breakdownOf(raw, signals) };
}

/** The score of the raw values: Σ weight · raw, rounded half up. Computed in integers, so .5 is exact. */
export const scoreOf = (raw: RawSignals, signals: readonly Signal[] = SIGNALS): number =>
  Math.floor((signals.reduce((sum, { key, weight }) => sum + weight * raw[key as SignalKey], 0) + 50) / 100);

/** The share of each signal in the score. */
export const breakdownOf = (raw: RawSignals, signals: readonly Signal[] = SIGNALS): Breakdown =>
  bySignal(signals, ({ key, weight }) => {
    const rawScore = raw[key as SignalKey];
    return { weight: weight / 100, rawScore, weightedScore: (weight * rawScore) / 100 };
  });

/**
 * The cred that every view shows: the stored one, so that list, detail, gate and card show the same number. Until it is
 * first stored, the result of the formula over the facts.
 */
export function shownCred(facts: AgentFacts, now: Date, signals: readonly Signal[] = SIGNALS) {
  const stored = facts.cred && { ...facts.cred, raw: facts.cred.raw as RawSignals };
  const { score, raw, computedAt } = stored ?? { ...credOf(facts, now, signals), computedAt: now.toISOString() };
  return { score, raw, computedAt, tier: tierOf(score) };
}

const bySignal = <T>(signals: readonly Signal[], value: (signal: Signal) => T) =>
  Object.fromEntries(signals.map((signal) => [signal.key, value(signal)])) as Record<SignalKey, T>;
