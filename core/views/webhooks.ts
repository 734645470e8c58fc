/** The owner's view of webhooks and deliveries. It contains no secret. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import type { EventType } from "../events/events.ts";
import type { DisabledReason } from "../webhooks/attempts.ts";
import type { Delivery, DeliveryState, Finality, LoggedAttempt, Webhook } from "../webhooks/webhook.ts";

export type WebhookView = {
  id: string;
  url: string;
  events: EventType[];
  agents: (number | Address)[] | null;
  owners: Address[] | null;
  finality: Finality;
  createdAt: string;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  disabledAt: string | null;
  /** Failed attempts since the last successful one. */
  failures: number;
  failingSince: string | null;
  pausedUntil: string | null;
};

export const webhookView = (webhook: Webhook): WebhookView => ({
  id: webhook.webhookId,
  url: webhook.url,
  events: webhook.events,
  agents:
    webhook.tokenIds || webhook.addresses
      ? [...(webhook.tokenIds ?? []), ...(webhook.addresses ?? []).map(checksum)]
      : null,
  owners: webhook.owners?.map(checksum) ?? null,
  finality: webhook.finality,
  createdAt: webhook.createdAt.toISOString(),
  enabled: webhook.disabledAt === null,
  disabledReason: webhook.disabledReason,
  disabledAt: webhook.disabledAt?.toISOString() ?? null,
  failures: webhook.failures,
  failingSince: webhook.failingSince?.toISOString() ?? null,
  pausedUntil: webhook.pausedUntil?.toISOString() ?? null,
});

export type DeliveryView = {
  id: number;
  eventId: string;
  type: string;
  position: number | null;
  final: boolean;
  state: DeliveryState;
  createdAt: string;
  nextAttemptAt: string | null;
  settledAt: string | null;
  attempts: LoggedAttempt[];
};

export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: delivery.deliveryId,
  eventId: delivery.eventId,
  type: delivery.eventType,
  position: delivery.position,
  final: delivery.final,
  state: delivery.state,
  createdAt: delivery.createdAt.toISOString(),
  nextAttemptAt: delivery.state === "pending" ? delivery.dueAt.toISOString() : null,
  settledAt: delivery.settledAt?.toISOString() ?? null,
  attempts: delivery.log,
});
