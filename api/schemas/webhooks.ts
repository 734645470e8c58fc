/** Schemas of webhooks, their secrets and their deliveries. */
import { array, object, strictObject, union, z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import { EVENT_NAMES } from "../../core/events/events.ts";
import { count, moment, tokenId } from "../../core/views/fields.ts";
import { deliverySchema, eventSchema, events, finality, webhookSchema } from "../../core/views/webhooks.ts";
import { textAs } from "../parameters.ts";

/** Max agents, and max owners, that a webhook names. */
const MAX_NAMED = 100;
/** Max characters of a URL. */
const MAX_URL = 2_000;
/** Max seconds in which both secrets sign after a rotation: a week, enough for every client to change. */
const MAX_GRACE_SECONDS = 7 * 86_400;
/** A day. */
export const DEFAULT_GRACE_SECONDS = 86_400;

const walletInput = textAs(parseAddress, "must be a 0x address of 20 bytes").meta({
  documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  description: "Address, in any case",
});

export const webhookBodySchema = strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL)
    .meta({ description: "Where events are sent by POST: an https URL on a public host" }),
  events: events.min(1).max(EVENT_NAMES.length),
  agents: array(union([z.int().min(0), walletInput]))
    .min(1)
    .max(MAX_NAMED)
    .optional()
    .meta({ description: "Only events about these agents, by token id or wallet" }),
  owners: array(walletInput)
    .min(1)
    .max(MAX_NAMED)
    .optional()
    .meta({ description: "Only events about agents of these owners" }),
  finality: finality.optional(),
}).meta({
  id: "NewWebhook",
  examples: [{ url: "https://example.com/hooks/agents", events: ["agent.registered", "cred.changed"] }],
});

const secret = z.string().meta({
  description: "Signs what is sent; shown this once",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0C2hQ0bVq1s="],
});

export const createdWebhookSchema = object({ ...webhookSchema.shape, secret }).meta({ id: "CreatedWebhook" });

const waiting = {
  pending: count.meta({ description: "Deliveries that are still to be made" }),
  dead: count.meta({ description: "Deliveries that were given up" }),
};
export const webhookDetailSchema = object({ ...webhookSchema.shape, ...waiting }).meta({ id: "WebhookDetail" });

export const webhooksSchema = object({ webhooks: array(webhookDetailSchema) }).meta({ id: "Webhooks" });

export const deletedWebhookSchema = object({ success: z.literal(true), deleted: z.string() }).meta({
  id: "DeletedWebhook",
});

export const rotateBodySchema = strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(MAX_GRACE_SECONDS)
    .optional()
    .meta({ description: `How long the secret before signs along; ${DEFAULT_GRACE_SECONDS} by default` }),
})
  .optional()
  .meta({ id: "SecretRotation", examples: [{ graceSeconds: 3600 }] });

export const rotatedSecretSchema = object({
  id: z.string(),
  secret,
  previousSecretExpiresAt: moment.nullable().meta({ description: "Until then deliveries carry both signatures" }),
}).meta({ id: "RotatedSecret" });

export const deliveriesSchema = object({
  limit: z.int().min(1),
  deliveries: array(deliverySchema),
  nextBefore: z.int().min(1).nullable().meta({ description: "`before` of the next page; null on the last" }),
}).meta({ id: "WebhookDeliveries" });

export const queuedDeliverySchema = object({ delivery: deliverySchema }).meta({ id: "QueuedWebhookDelivery" });

export const replayBodySchema = strictObject({
  since: z.iso
    .datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" })
    .meta({ description: "Deliveries that were given up then or later" }),
}).meta({ id: "DeadLetterReplay", examples: [{ since: "2026-01-31T12:00:00Z" }] });

export const replayedSchema = object({
  replayed: count.meta({ description: "Deliveries that are due again" }),
  remaining: count.meta({ description: "Those of the same time that are left for another call" }),
}).meta({ id: "ReplayedDeadLetters" });

export const eventsSchema = object({
  events: array(eventSchema),
  after: count,
  limit: z.int().min(1),
  nextAfter: count.meta({ description: "Give it back as `after`, or to the stream as `Last-Event-ID`" }),
  more: z.boolean().meta({ description: "There is more to look at already" }),
  gap: object({ after: count, resumedAfter: count, error: z.string() })
    .nullable()
    .meta({ description: "Events were missed: they are kept no longer" }),
}).meta({ id: "Events" });

export const agentEventsSchema = object({
  tokenId,
  events: array(eventSchema),
  limit: z.int().min(1),
  nextBefore: count.nullable().meta({ description: "Give it back as `before` for older ones; null: there are none" }),
  since: moment.nullable().meta({ description: "When the oldest event of the whole log happened; null: it has none" }),
}).meta({ id: "AgentEvents" });
