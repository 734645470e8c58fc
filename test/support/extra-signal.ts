/** A signal as a developer would add one: how long an agent's name is. */
import { clamp, literal, type Signal } from "../../core/signals/signal.ts";

export const EXTRA_SIGNAL: Signal<"brevity"> = {
  key: "brevity",
  label: "Short Name",
  description: "100 for a name of at most eight characters",
  weight: 10,
  raw: (facts) => ([...facts.name].length <= 8 ? 100 : 0),
  sql: {
    value: () => "case when coalesce(n.is_short, false) then 100 else 0 end",
    join: ({ inScope }) => `
    left join (
      select token_id, char_length(name) <= 8 as is_short from onchain.agent
      where name <> ${literal("nobody")} and ${inScope("token_id")}) n on n.token_id = a.token_id`,
  },
  steps: ({ tokenId }, raw) =>
    raw < 100 ? [{ action: "Choose a short name", endpoint: `POST /api/v2/agent/${tokenId}/update`, raw: 100 }] : [],
  evidence: ({ name }, { tokenLink }) => [
    { source: "onchain", detail: `${[...name].length} characters`, reference: tokenLink },
  ],
};

/** One that time moves: its input is kept in a column of its own, so that a later time needs no other table. */
export const TIMED_SIGNAL: Signal<"ripeness"> = {
  key: "ripeness",
  label: "Ripeness",
  description: "1 for each hour since registration",
  weight: 10,
  raw: ({ mintedAt }, now) => clamp(Math.floor((Math.floor(now.getTime() / 1000) - mintedAt) / 3_600)),
  sql: {
    value: () => "a.minted_at",
    at: (mintedAt, now) => `least(100, greatest(0, (${now} - ${mintedAt}) / 3600))`,
  },
  steps: () => [],
  evidence: () => [],
};
