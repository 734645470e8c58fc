/** The report's recommendations: the greatest open points of an agent, in words. */
import type { AgentFacts } from "../../agents/facts.ts";
import type { AdviceState, Signal } from "../../signals/signal.ts";
import type { RawSignals } from "../../signals/signals.ts";
import { SIGNALS, scoreOf } from "../cred.ts";
import { openPoints } from "../open-points.ts";

export type Recommendation = {
  action: string;
  /** The exact points, and the score before and after: "+3.75 points: 54 → 58". */
  impact: string;
  priority: "high" | "medium" | "low";
  /** Method and path. */
  endpoint?: string;
};

const MAX_RECOMMENDATIONS = 8;

/** At most eight, greatest gain first. @param raw the raw values behind the score */
export function recommendations(
  facts: AgentFacts,
  raw: RawSignals,
  state: AdviceState,
  signals: readonly Signal[] = SIGNALS,
): Recommendation[] {
  const score = scoreOf(raw, signals);
  return openPoints(facts, raw, state, signals)
    .slice(0, MAX_RECOMMENDATIONS)
    .map(({ action, gain, scoreAfter, endpoint }) => ({
      action,
      impact: `+${gain} ${gain === 1 ? "point" : "points"}: ${score} → ${scoreAfter}`,
      priority: gain >= 10 ? "high" : gain >= 3 ? "medium" : "low",
      endpoint,
    }));
}
