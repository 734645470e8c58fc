/** What webhooks are delivered with. */
import type { SecretBox, WebhookReceivers } from "../../clients/ports.ts";

/** Counts what becomes of deliveries. */
export type WebhookMeter = {
  /** @param outcome taken; failed, to be tried again; given up; or not sent, because the host has no room */
  attempted(outcome: "delivered" | "failed" | "dead" | "deferred", ms: number): void;
  disabled(reason: "gone" | "failing"): void;
};

/** What deliveries are made with. */
export type WebhookParts = {
  receivers: WebhookReceivers;
  secrets: SecretBox;
  /** How long a receiver may fail before its webhook is switched off. */
  disableAfterMs: number;
  /** From 0 to 1, for jitter. */
  random(): number;
  meter?: WebhookMeter | undefined;
};
