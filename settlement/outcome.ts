/** The outcome of a request for settlement. */
import type { Refusal } from "../core/payments/terms.ts";

/** The outcome of a request to move the money. `broadcast`: the money may be moving. */
export type SettlementOutcome =
  | { kind: "settled" }
  | { kind: "refused"; reason: Refusal; broadcast: boolean }
  | { kind: "unknown"; cause: unknown; broadcast: boolean };
