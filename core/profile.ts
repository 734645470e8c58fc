/** The profile of an agent: off-chain and on-chain fields merged field by field; the newest write wins. */
import type { AgentFacts, Narrative } from "./facts.ts";
import { isBlank } from "./text.ts";

export const PERSONALITY_TEXTS = ["quirks", "communicationStyle", "values", "humor"] as const;
export const PERSONALITY_LEVELS = ["riskTolerance", "autonomyLevel"] as const;
export const NARRATIVE_FIELDS = ["origin", "mission", "lore", "manifesto"] as const;
export type NarrativeField = (typeof NARRATIVE_FIELDS)[number];

/** A text that was never written is "". A level that was never written is null, because 0 is a level. */
export type ShownPersonality = Record<(typeof PERSONALITY_TEXTS)[number], string> &
  Record<(typeof PERSONALITY_LEVELS)[number], number | null>;

/** Null when no field was written. */
export type Profile = {
  personality: ShownPersonality | null;
  narrative: Narrative | null;
  /** Lower-case platform or `website` → handle or URL. */
  socials: Record<string, string>;
};

type ProfileFacts = Pick<
  AgentFacts,
  "onchainPersonality" | "personalityAt" | "onchainNarrative" | "narrativeAt" | "profile"
>;

/** Merges the profile. On equal times the off-chain write wins, because its author could see the chain's. */
export function mergeProfile(facts: ProfileFacts): Profile {
  const personality = merge(facts, "personality", facts.onchainPersonality, () => facts.personalityAt);
  const shownPersonality = {
    ...(Object.fromEntries(PERSONALITY_TEXTS.map((field) => [field, String(personality(field) ?? "")])) as Record<
      (typeof PERSONALITY_TEXTS)[number],
      string
    >),
    riskTolerance: level(personality("riskTolerance")),
    autonomyLevel: level(personality("autonomyLevel")),
  };
  const narrative = mergeNarrative(facts);
  const socials = facts.profile
    .filter(({ field, value }) => field.startsWith("social.") && typeof value === "string" && !isBlank(value))
    .map(({ field, value }) => [field.slice("social.".length), value as string]);
  return {
    personality:
      PERSONALITY_TEXTS.some((f) => !isBlank(shownPersonality[f])) ||
      PERSONALITY_LEVELS.some((f) => shownPersonality[f] !== null)
        ? shownPersonality
        : null,
    narrative: NARRATIVE_FIELDS.some((f) => !isBlank(narrative[f])) ? narrative : null,
    socials: Object.fromEntries(socials),
  };
}

/** The four texts of the merged narrative, "" where none was written. The score counts those that are not blank. */
export function mergeNarrative(facts: ProfileFacts): Narrative {
  const { onchainNarrative, narrativeAt } = facts;
  const value = merge(facts, "narrative", onchainNarrative, (field) => narrativeAt?.[field as NarrativeField] ?? null);
  return Object.fromEntries(NARRATIVE_FIELDS.map((field) => [field, String(value(field) ?? "")])) as Narrative;
}

/** The value of one field of a part: the off-chain write, unless the chain's was later. A null time is older than all. */
function merge(facts: ProfileFacts, part: string, onchain: object | null, onchainAt: (field: string) => number | null) {
  const chain = (onchain ?? {}) as Record<string, string | number | undefined>;
  return (field: string): string | number | undefined => {
    const write = facts.profile.find((w) => w.field === `${part}.${field}`);
    if (write === undefined) return chain[field];
    const at = onchainAt(field);
    const wins = at === null || Date.parse(write.writtenAt) >= at * 1000;
    return wins ? (write.value as string | number) : chain[field];
  };
}

const level = (value: string | number | undefined): number | null => (typeof value === "number" ? value : null);
