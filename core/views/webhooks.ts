/** The owner's view of webhooks and deliveries. It contains no secret. */
import { array, object, union, z } from "zod";
import { checksum } from "../addresses.ts";
import { EVENT_NAMES, EVENT_TYPES, type LoggedEvent } from "../events/events.ts";
import { DELIVERY_STATES, type Delivery, FINALITIES, type Webhook } from "../webhooks/webhook.ts";
import { address, block, count, membersOf, moment, tokenId, txHash, url } from "./fields.ts";

export const events = array(z.enum(EVENT_NAMES)).meta({
  description: "Types of events; of a wanted type its retractions are sent too",
  examples: [["agent.registered", "cred.changed"]],
});
export const finality = z.enum(FINALITIES).meta({
  description:
    "any: sent as it happens, and taken back by event.retracted when a block is undone; final: sent once it can no longer be undone",
});

export const webhookSchema = object({
  id: z.string().meta({ examples: ["wh_5f0c6d0e4b9a4f3c8a51d2e7b6c90f14"] }),
  url,
  events,
  agents: array(union([address, tokenId]))
    .nullable()
    .meta({ description: "null: events about any agent" }),
  owners: array(address).nullable().meta({ description: "null: events about agents of anybody" }),
  finality,
  createdAt: moment,
  enabled: z.boolean(),
  disabledReason: z
    .enum(["gone", "failing"])
    .nullable()
    .meta({ description: "gone: the receiver answered 410; failing: it has taken nothing for days" }),
  disabledAt: moment.nullable(),
  failures: count.meta({ description: "Failed attempts since the last good one" }),
  failingSince: moment.nullable(),
  pausedUntil: moment.nullable().meta({ description: "Nothing is sent before" }),
}).meta({ id: "Webhook" });

export const webhookView = (webhook: Webhook): z.output<typeof webhookSchema> =>
  membersOf(webhookSchema, {
    ...webhook,
    id: webhook.webhookId,
    agents:
      webhook.tokenIds || webhook.addresses
        ? [...(webhook.tokenIds ?? []), ...(webhook.addresses ?? []).map(checksum)]
        : null,
    owners: webhook.owners?.map(checksum) ?? null,
    createdAt: webhook.createdAt.toISOString(),
    enabled: webhook.disabledAt === null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    failingSince: webhook.failingSince?.toISOString() ?? null,
    pausedUntil: webhook.pausedUntil?.toISOString() ?? null,
  });

export const deliverySchema = object({
  id: z.int().min(1),
  eventId: z.string().meta({ description: "The header webhook-id, the same in every attempt" }),
  type: z.string().meta({ examples: ["cred.changed", "webhook.ping"] }),
  position: count.nullable().meta({ description: "Place of the event in the log; null for a test" }),
  final: z.boolean(),
  state: z.enum(DELIVERY_STATES).meta({ description: "dead: given up; a replay sends it again" }),
  createdAt: moment,
  nextAttemptAt: moment.nullable(),
  settledAt: moment.nullable().meta({ description: "When it was delivered or given up" }),
  attempts: array(
    object({
      at: moment,
      status: z.int().nullable().meta({ description: "What the receiver answered; null when it did not" }),
      error: z.string().nullable().meta({ description: "Why there was no answer" }),
      durationMs: count,
    }),
  ).meta({ description: "The last 20, the oldest first" }),
}).meta({ id: "WebhookDelivery" });

export const deliveryView = (delivery: Delivery): z.output<typeof deliverySchema> =>
  membersOf(deliverySchema, {
    ...delivery,
    id: delivery.deliveryId,
    type: delivery.eventType,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.state === "pending" ? delivery.dueAt.toISOString() : null,
    settledAt: delivery.settledAt?.toISOString() ?? null,
    attempts: delivery.log,
  });

export const eventSchema = object({
  id: z.string().meta({
    description: "Names the event wherever it is sent, so that it is recognised when it comes twice",
    examples: ["evt_0f3b5c9d1a2e4f6078b9c0d1"],
  }),
  type: z.enum(EVENT_NAMES),
  at: moment.meta({ description: "When it happened: the time of its block, or of the write" }),
  tokenId: tokenId.nullable(),
  owner: address.nullable().meta({ description: "The agent's owner then" }),
  final: z.boolean().meta({ description: "No reorganisation of the chain can take it back" }),
  block: block.nullable().meta({ description: "The block it rests on; null for what the chain does not say" }),
  txHash: txHash.nullable(),
  data: union(
    Object.entries(EVENT_TYPES).map(([type, { says, data }]) => data.meta({ title: type, description: says })),
  ).meta({ description: "By the type" }),
}).meta({ id: "Event" });
export type EventView = z.output<typeof eventSchema>;

export const eventView = (event: LoggedEvent): EventView =>
  membersOf(eventSchema, { ...event, at: event.at.toISOString(), owner: event.owner && checksum(event.owner) });
