/** Signal: the four texts of the narrative that are written. */
import { mergeNarrative, NARRATIVE_FIELDS, type NarrativeField } from "../agents/profile.ts";
import { BLANKS, isBlank, lengthOf, listed } from "../text.ts";
import { literal, type Signal } from "./signal.ts";

export const NARRATIVE_VALUE = 25;

/** SQL of 1 for a text of the merged narrative that is not blank (core/agents/profile.ts: the newest write wins, off chain on a tie). */
const isWritten = (field: NarrativeField) => `(btrim(coalesce(
        case when f.${field}_at >= to_timestamp(coalesce((a.narrative_at ->> '${field}')::int8, 0))
             then f.${field} else a.narrative ->> '${field}' end, ''), ${literal(BLANKS)}) <> '')::int4`;

export const narrative: Signal<"narrative"> = {
  key: "narrative",
  label: "Narrative Completeness",
  description: "25 for each of origin, mission, lore and manifesto",
  weight: 10,
  raw(facts) {
    const texts = mergeNarrative(facts);
    return NARRATIVE_FIELDS.filter((field) => !isBlank(texts[field])).length * NARRATIVE_VALUE;
  },
  sql: {
    value: () => `(${NARRATIVE_FIELDS.map(isWritten).join("\n      + ")}) * ${NARRATIVE_VALUE}`,
    join: ({ inScope }) => `
    left join (
      select token_id, ${NARRATIVE_FIELDS.map(
        (field) => `
        max(value #>> '{}') filter (where field = 'narrative.${field}') as ${field},
        max(written_at) filter (where field = 'narrative.${field}') as ${field}_at`,
      ).join(",")}
      from offchain.profile_field
      where field like 'narrative.%' and ${inScope("token_id")}
      group by token_id) f on f.token_id = a.token_id`,
  },
  steps(facts, raw) {
    const texts = mergeNarrative(facts);
    const missing = NARRATIVE_FIELDS.filter((field) => isBlank(texts[field]));
    if (missing.length === 0) return [];
    const after = Math.min(100, raw + missing.length * NARRATIVE_VALUE);
    return [{ action: `Write ${listed(missing)}`, endpoint: `POST /api/v2/agent/${facts.tokenId}/update`, raw: after }];
  },
  evidence(facts) {
    const texts = mergeNarrative(facts);
    return NARRATIVE_FIELDS.map((field) => [field, lengthOf(texts[field].trim())] as const)
      .filter(([, length]) => length > 0)
      .map(([field, length]) => ({ source: "profile", detail: `${field}: ${length} characters` }));
  },
};
