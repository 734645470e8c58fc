/** The profile of an agent: off-chain and on-chain fields merged field by field; the newest write wins. */
import type { Json } from "../json.ts";
import { isBlank } from "../text.ts";
import { isoSeconds } from "../times.ts";
import type { AgentFacts, Narrative } from "./facts.ts";

export const PERSONALITY_TEXTS = ["quirks", "communicationStyle", "values", "humor"] as const;
export const PERSONALITY_LEVELS = ["riskTolerance", "autonomyLevel"] as const;
export const NARRATIVE_FIELDS = ["origin", "mission", "lore", "manifesto"] as const;
export type NarrativeField = (typeof NARRATIVE_FIELDS)[number];

/** A text that was never written is "". A level that was never written is null, because 0 is a level. */
type ShownPersonality = Record<(typeof PERSONALITY_TEXTS)[number], string> &
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
  const personality = merge(facts, "personality");
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
  const value = merge(facts, "narrative");
  return Object.fromEntries(NARRATIVE_FIELDS.map((field) => [field, String(value(field) ?? "")])) as Narrative;
}

/** A value with the time it was written; null: a value on chain without a time of its own, older than all others. */
type WrittenValue = { value: Json; writtenAt: string | null };
/** One field as it is shown, where that value comes from, and what is stored in each place. Null: not written. */
export type ProfileFieldState = {
  field: string;
  value: Json | null;
  from: "onchain" | "offchain" | null;
  onchain: WrittenValue | null;
  offchain: WrittenValue | null;
};

/** A field off chain and on chain. The off-chain write is shown, unless the chain's was later. */
function fieldOf(facts: ProfileFacts, part: "personality" | "narrative", name: string): ProfileFieldState {
  const field = `${part}.${name}`;
  const personality = part === "personality";
  const chain = (personality ? facts.onchainPersonality : facts.onchainNarrative) as Record<string, Json> | null;
  const at = personality ? facts.personalityAt : (facts.narrativeAt?.[name as NarrativeField] ?? null);
  const value = chain?.[name];
  const onchain = value === undefined ? null : { value, writtenAt: at === null ? null : isoSeconds(at) };
  const offchain = facts.profile.find((write) => write.field === field) ?? null;
  const wins = offchain !== null && (at === null || Date.parse(offchain.writtenAt) >= at * 1000);
  const shown = wins ? offchain : onchain;
  return {
    field,
    value: shown?.value ?? null,
    from: shown && (wins ? "offchain" : "onchain"),
    onchain,
    offchain: offchain && { value: offchain.value, writtenAt: offchain.writtenAt },
  };
}

const merge = (facts: ProfileFacts, part: "personality" | "narrative") => (name: string) =>
  fieldOf(facts, part, name).value;

/** Every field of a profile with its place. Accounts and listing are only off chain. */
export function profileFields(facts: ProfileFacts): ProfileFieldState[] {
  const words = [
    ...NARRATIVE_FIELDS.map((name) => fieldOf(facts, "narrative", name)),
    ...[...PERSONALITY_TEXTS, ...PERSONALITY_LEVELS].map((name) => fieldOf(facts, "personality", name)),
  ];
  const others = facts.profile
    .filter(({ field }) => !words.some((word) => word.field === field))
    .map(({ field, value, writtenAt }) => ({
      field,
      value,
      from: "offchain" as const,
      onchain: null,
      offchain: { value, writtenAt },
    }));
  return [...words, ...others];
}

const level = (value: Json | null): number | null => (typeof value === "number" ? value : null);
