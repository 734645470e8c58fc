/** What webhooks are delivered with. */
import type { SecretBox, WebhookReceivers } from "../../clients/ports.ts";

/** Counts what becomes of deliveries. */
export type WebhookMeter = {
  /** @param outcome accepted; failed, to be retried; dead; or not sent, because the host has no free connection */
  attempted(outcome: "delivered" | "failed" | "dead" | "deferred", ms: number): void;
  disabled(reason: "gone" | "failing"): void;
};

/** The parts that deliveries need. */
export type WebhookParts = {
  receivers: WebhookReceivers;
  secrets: SecretBox;
  /** From 0 to 1, for jitter. */
  random(): number;
  meter?: WebhookMeter | undefined;
};
