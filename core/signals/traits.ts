/** Signal: number of traits. */
import { countedTraits, LINKED_TOKEN } from "../agents/traits.ts";
import { quoted } from "../quoted.ts";
import { clamp, literal, type Signal } from "./signal.ts";

export const TRAIT_VALUE = 12;

export const traits: Signal<"traits"> = {
  key: "traits",
  label: "Trait Richness",
  description: "Number of traits, times 12",
  weight: 15,
  raw: (facts) => clamp(countedTraits(facts.traits).length * TRAIT_VALUE),
  sql: {
    value: () => `least(100, (a.trait_count + coalesce(t.traits, 0)) * ${TRAIT_VALUE})`,
    join: ({ inScope }) => `
    left join (
      select token_id, count(*) as traits from offchain.profile_trait
      where not starts_with(lower(name collate "C"), ${literal(LINKED_TOKEN)}) and ${inScope("token_id")}
      group by token_id) t on t.token_id = a.token_id`,
  },
  steps({ tokenId }, raw) {
    const missing = Math.ceil((100 - raw) / TRAIT_VALUE);
    const action = `Add ${missing} more ${missing === 1 ? "trait" : "traits"}`;
    return raw < 100 ? [{ action, endpoint: `POST /api/v2/agent/${tokenId}/update`, raw: 100 }] : [];
  },
  evidence: (facts) =>
    countedTraits(facts.traits).map(({ name, category, addedAt }) => ({
      source: "profile",
      detail: `${quoted(category)}: ${quoted(name)}, added ${addedAt}`,
    })),
};
