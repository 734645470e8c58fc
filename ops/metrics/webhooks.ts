/** Attempts to deliver webhooks by outcome, and webhooks that were switched off. */
import type { Registry } from "prom-client";
import type { WebhookMeter } from "../../workers/webhooks/parts.ts";
import { Counts, durationsBy } from "./metric.ts";

export function webhookMeter(registry: Registry): WebhookMeter {
  const attempted = durationsBy<"outcome">(registry, {
    name: "agents_webhook_attempt_duration_seconds",
    help: "Attempts to deliver: delivered, failed (comes again), dead (given up), deferred (not sent: no room for its host)",
  });
  const disabled = new Counts(
    registry,
    { name: "agents_webhooks_disabled_total", help: "Webhooks switched off: gone (410), or failing for too long" },
    "reason",
  );
  return {
    attempted: (outcome, ms) => attempted({ outcome }, ms),
    disabled: (reason) => disabled.add(reason),
  };
}
