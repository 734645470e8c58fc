/** What is known after a payment was handed to its method for settlement. */
import type { Refusal } from "../core/payments/terms.ts";

/** What became of the wish to have the money moved. `broadcast`: it may be moving. */
export type SettlementOutcome =
  | { kind: "settled" }
  | { kind: "refused"; reason: Refusal; broadcast: boolean }
  | { kind: "unknown"; cause: unknown; broadcast: boolean };
