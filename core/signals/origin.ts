/** Signal: how the agent was registered. */
import { MINT_ORIGINS, mintOriginAt, UNKNOWN_ORIGIN } from "../mints/mint-origins.ts";
import type { Signal } from "./signal.ts";

export const origin: Signal<"origin"> = {
  key: "origin",
  label: "Mint Origin",
  description: "How the agent was registered: by itself 100, by a human 80, by the API 70, by the owner 50",
  weight: 10,
  raw: (facts) => mintOriginAt(facts.origin).raw,
  sql: {
    value: () =>
      `case a.origin ${MINT_ORIGINS.map(({ raw }, index) => `when ${index} then ${raw}`).join(" ")} else ${UNKNOWN_ORIGIN.raw} end`,
  },
  steps: () => [],
  evidence: (facts, { txLink }) => [
    {
      source: "onchain",
      detail: `Registered as ${mintOriginAt(facts.origin).name}`,
      reference: txLink(facts.mintTx),
    },
  ],
};
