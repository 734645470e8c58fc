/** Input of a profile: the schemas of personality and narrative, and the rows to write for them. */
import { z } from "zod";
import type { Json } from "../json.ts";
import { textSchema } from "../text.ts";
import { LISTING_FIELDS } from "./listing.ts";
import type { ListingInput } from "./listing-input.ts";
import { NARRATIVE_FIELDS, PERSONALITY_LEVELS, PERSONALITY_TEXTS } from "./profile.ts";
import { SOCIALS, type SocialInput } from "./social-input.ts";

const trait = textSchema({ max: 256, lines: true }).optional();
const shortText = textSchema({ max: 512, lines: true }).optional();
const longText = textSchema({ max: 1024, lines: true }).optional();
const level = z
  .int({ error: "must be a whole number" })
  .min(0, { error: "must be 0 to 10" })
  .max(10, { error: "must be 0 to 10" })
  .optional();

/** A partial personality: only given fields change; an empty string clears a field. */
export const personalitySchema = z.strictObject({
  quirks: trait,
  communicationStyle: trait,
  values: trait,
  humor: trait,
  riskTolerance: level,
  autonomyLevel: level,
});
export type PersonalityInput = z.output<typeof personalitySchema>;

/** A partial narrative: only given fields change; an empty string clears a field. */
export const narrativeSchema = z.strictObject({
  origin: shortText,
  mission: shortText,
  lore: longText,
  manifesto: longText,
});
export type NarrativeInput = z.output<typeof narrativeSchema>;

export type FieldWrite = { field: string; value: Json };

export type ProfileInput = ListingInput & {
  personality?: PersonalityInput | undefined;
  narrative?: NarrativeInput | undefined;
  social?: SocialInput | undefined;
};

/** The rows of a profile write, by field path (`personality.humor`, `skills`), in a fixed order. Absent fields are left alone. */
export function fieldWrites(input: ProfileInput): FieldWrite[] {
  const { personality = {}, narrative = {}, social = {} } = input;
  return [
    ...[...PERSONALITY_TEXTS, ...PERSONALITY_LEVELS].map((f) => [`personality.${f}`, personality[f]] as const),
    ...NARRATIVE_FIELDS.map((f) => [`narrative.${f}`, narrative[f]] as const),
    ...SOCIALS.map((f) => [`social.${f}`, social[f]] as const),
    ...LISTING_FIELDS.map((f) => [f, input[f]] as const),
  ].flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }]));
}
