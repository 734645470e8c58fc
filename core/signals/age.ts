/** Signal: whole days since registration. */
import type { AgentFacts } from "../agents/facts.ts";
import { isoSeconds, unixSeconds } from "../times.ts";
import { clamp, type Signal } from "./signal.ts";

export const DAY_VALUE = 5;
export const DAY_SECONDS = 86_400;

/** Whole days since registration, never negative. */
export const ageDays = (facts: Pick<AgentFacts, "mintedAt">, now: Date): number =>
  Math.max(0, Math.floor((unixSeconds(now) - facts.mintedAt) / DAY_SECONDS));

export const age: Signal<"age"> = {
  key: "age",
  label: "Account Age",
  description: "Whole days since registration, times 5",
  weight: 10,
  raw: (facts, now) => clamp(ageDays(facts, now) * DAY_VALUE),
  sql: {
    value: () => "a.minted_at",
    at: (mintedAt, now) => `least(100, greatest(0, (${now} - ${mintedAt}) / ${DAY_SECONDS}) * ${DAY_VALUE})`,
  },
  steps: () => [],
  evidence: (facts, { now, txLink }) => [
    {
      source: "onchain",
      detail: `Registered ${isoSeconds(facts.mintedAt)}, ${ageDays(facts, now)} days ago`,
      reference: txLink(facts.mintTx),
    },
  ],
};
