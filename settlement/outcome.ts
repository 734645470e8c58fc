/** The outcome of a request for settlement. */
import type { Hex } from "../core/agents/facts.ts";
import type { Refusal } from "../core/payments/refusals.ts";

/** The outcome of a request to move the money. `broadcast`: the money may be moving. `txHash`: as the facilitator says. */
export type SettlementOutcome =
  | { kind: "settled"; txHash?: Hex }
  | { kind: "refused"; reason: Refusal; broadcast: boolean }
  | { kind: "unknown"; cause: unknown; broadcast: boolean };
