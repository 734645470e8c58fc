/** What an agent can do about its score, and exactly how many points each step wins. */
import { BONUSES } from "../bonuses.ts";
import { NARRATIVE_VALUE, POINT_VALUE, PROOF_VALUE, SIGNALS, scoreOf, standingProofs, TRAIT_VALUE } from "../cred.ts";
import type { AgentFacts, RawSignals, SignalKey } from "../facts.ts";
import { mergeNarrative, NARRATIVE_FIELDS } from "../profile.ts";
import { PROOF_PLATFORMS } from "../proof-platforms.ts";
import { isBlank, listed } from "../text.ts";

/** One thing to do: it brings the raw value of its signal from where it is to `raw`. */
type Step = { action: string; endpoint: string; raw: number };

export type Recommendation = {
  action: string;
  /** The exact points to win, and the score before and after: "+3.75 points: 54 → 58". */
  impact: string;
  priority: "high" | "medium" | "low";
  /** Method and path. */
  endpoint?: string;
};

const MOST = 8;

/**
 * The steps open to an agent, by signal. Age, origin and the soulbound lock have none: time, or nothing, changes them.
 * The record is exhaustive: a new signal does not compile until it says what raises it.
 */
const STEPS: Record<SignalKey, (facts: AgentFacts, raw: number) => Step[]> = {
  activity: ({ tokenId }, raw) => {
    const points = Math.ceil((100 - raw) / POINT_VALUE);
    const action = `Earn ${points} more ${points === 1 ? "point" : "points"} on chain; an agent you refer brings ${BONUSES.referrer.points}`;
    return raw < 100 ? [{ action, endpoint: `GET /api/v2/agent/${tokenId}/referral`, raw: 100 }] : [];
  },
  traits: ({ tokenId }, raw) => {
    const missing = Math.ceil((100 - raw) / TRAIT_VALUE);
    const action = `Add ${missing} more ${missing === 1 ? "trait" : "traits"}`;
    return raw < 100 ? [{ action, endpoint: `POST /api/v2/agent/${tokenId}/update`, raw: 100 }] : [];
  },
  verify: (facts, raw) => {
    const proven = standingProofs(facts).map(({ platform }) => platform);
    const step = (action: string, path: string): Step => ({
      action,
      endpoint: `POST /api/v2/agent/${facts.tokenId}/${path}`,
      raw: Math.min(100, raw + PROOF_VALUE),
    });
    return [
      ...(facts.verified ? [] : [step("Verify the agent's wallet", "verify")]),
      ...PROOF_PLATFORMS.filter(({ key }) => !proven.includes(key)).map(({ key, label }) =>
        step(`Prove the agent's account on ${label}`, `verify/${key}`),
      ),
    ];
  },
  coinbase: ({ tokenId }, raw) =>
    raw < 100
      ? [
          {
            action: "Let the exchange attest the owner's account, then claim the attestation",
            endpoint: `POST /api/v2/agent/${tokenId}/coinbase-verify`,
            raw: 100,
          },
        ]
      : [],
  narrative: (facts, raw) => {
    const narrative = mergeNarrative(facts);
    const missing = NARRATIVE_FIELDS.filter((field) => isBlank(narrative[field]));
    if (missing.length === 0) return [];
    const after = Math.min(100, raw + missing.length * NARRATIVE_VALUE);
    return [{ action: `Write ${listed(missing)}`, endpoint: `POST /api/v2/agent/${facts.tokenId}/update`, raw: after }];
  },
  age: () => [],
  origin: () => [],
  soulbound: () => [],
};

/**
 * What to do, greatest gain first, at most eight. Each gain is that of the step alone, from the raw values the score
 * was computed of.
 */
export function recommendations(facts: AgentFacts, raw: RawSignals): Recommendation[] {
  const score = scoreOf(raw);
  return SIGNALS.flatMap(({ key, weight }) =>
    STEPS[key](facts, raw[key]).map((step) => ({
      step,
      gain: (weight * (step.raw - raw[key])) / 100,
      after: scoreOf({ ...raw, [key]: step.raw }),
    })),
  )
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST)
    .map(({ step, gain, after }) => ({
      action: step.action,
      impact: `+${gain} ${gain === 1 ? "point" : "points"}: ${score} → ${after}`,
      priority: gain >= 10 ? "high" : gain >= 3 ? "medium" : "low",
      endpoint: step.endpoint,
    }));
}
