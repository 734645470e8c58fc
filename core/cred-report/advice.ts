/** Steps by which an agent can raise its score, each with the exact points it adds. */
import { SIGNALS, scoreOf } from "../cred.ts";
import type { AgentFacts } from "../facts.ts";
import type { Signal } from "../signals/signal.ts";
import type { RawSignals, SignalKey } from "../signals/signals.ts";

export type Recommendation = {
  action: string;
  /** The exact points, and the score before and after: "+3.75 points: 54 → 58". */
  impact: string;
  priority: "high" | "medium" | "low";
  /** Method and path. */
  endpoint?: string;
};

const MAX_RECOMMENDATIONS = 8;

/**
 * The steps an agent can take, greatest gain first, at most eight. Each gain is that of the step alone, computed from
 * the raw values behind the score.
 */
export function recommendations(
  facts: AgentFacts,
  raw: RawSignals,
  signals: readonly Signal[] = SIGNALS,
): Recommendation[] {
  const score = scoreOf(raw, signals);
  return signals
    .flatMap((signal) => {
      const current = raw[signal.key as SignalKey];
      return signal.steps(facts, current).map((step) => ({
        step,
        gain: (signal.weight * (step.raw - current)) / 100,
        after: scoreOf({ ...raw, [signal.key]: step.raw }, signals),
      }));
    })
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MAX_RECOMMENDATIONS)
    .map(({ step, gain, after }) => ({
      action: step.action,
      impact: `+${gain} ${gain === 1 ? "point" : "points"}: ${score} → ${after}`,
      priority: gain >= 10 ? "high" : gain >= 3 ? "medium" : "low",
      endpoint: step.endpoint,
    }));
}
