/** The points that an agent's score is still short of and that a step of its own wins, from the advice of each signal. */
import type { AgentFacts } from "../agents/facts.ts";
import type { AdviceState, Signal } from "../signals/signal.ts";
import type { RawSignals, SignalKey } from "../signals/signals.ts";
import { SIGNALS, scoreOf } from "./cred.ts";

export type OpenPoint = {
  signal: SignalKey;
  label: string;
  action: string;
  /** Method and path. */
  endpoint: string;
  /** Points of the score before it is rounded, exact: 3.75. */
  gain: number;
  /** The score, 0 to 100, after this step alone. */
  scoreAfter: number;
};

/**
 * The steps an agent can take, greatest gain first. Each gain is that of the step alone.
 * @param raw the raw values behind the score
 */
export function openPoints(
  facts: AgentFacts,
  raw: RawSignals,
  state: AdviceState,
  signals: readonly Signal[] = SIGNALS,
): OpenPoint[] {
  return signals
    .flatMap((signal) => {
      const key = signal.key as SignalKey;
      const current = raw[key];
      return signal.steps(facts, current, state).map(({ action, endpoint, raw: reached }) => ({
        signal: key,
        label: signal.label,
        action,
        endpoint,
        gain: (signal.weight * (reached - current)) / 100,
        scoreAfter: scoreOf({ ...raw, [key]: reached }, signals),
      }));
    })
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain);
}
