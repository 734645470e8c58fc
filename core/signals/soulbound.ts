/** Signal: the identity is locked to its wallet. */
import type { Signal } from "./signal.ts";

export const soulbound: Signal<"soulbound"> = {
  key: "soulbound",
  label: "Soulbound Status",
  description: "The identity is locked to its wallet",
  weight: 5,
  raw: (facts) => (facts.soulbound ? 100 : 0),
  sql: { value: () => "case when a.soulbound then 100 else 0 end" },
  steps: () => [],
  evidence: (facts, { tokenLink }) => [
    {
      source: "onchain",
      detail: facts.soulbound ? "Locked to its wallet" : "Can be transferred",
      reference: tokenLink,
    },
  ],
};
