/** Schemas of webhooks, their secrets and their deliveries. */
import { z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { EVENT_NAMES } from "../../core/events/events.ts";
import { DELIVERY_STATES, FINALITIES } from "../../core/webhooks/webhook.ts";
import { address, count, moment, tokenId, url } from "./fields.ts";

/** Max agents, and max owners, that a webhook names. */
const MAX_NAMED = 100;
/** Max characters of a URL. */
const MAX_URL = 2_000;
/** Max seconds in which both secrets sign after a rotation: a week, enough for every client to change. */
const MAX_GRACE_SECONDS = 7 * 86_400;
/** A day. */
export const DEFAULT_GRACE_SECONDS = 86_400;

const events = z.array(z.enum(EVENT_NAMES)).meta({
  description: "Types of events; of a wanted type its retractions are told too",
  examples: [["agent.registered", "cred.changed"]],
});
const finality = z.enum(FINALITIES).meta({
  description:
    "any: told as it happens, and taken back by event.retracted when a block is undone; final: told once it can no longer be undone",
});

const walletInput = z
  .string()
  .transform((text, ctx): Address => {
    const parsed = parseAddress(text);
    if (parsed) return parsed;
    ctx.addIssue("must be a 0x address of 20 bytes");
    return z.NEVER;
  })
  .meta({ documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }, description: "Address, in any case" });

export const webhookBodySchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(MAX_URL)
      .meta({ description: "Where events are sent by POST: an https URL on a public host" }),
    events: events.min(1).max(EVENT_NAMES.length),
    agents: z
      .array(z.union([z.int().min(0), walletInput]))
      .min(1)
      .max(MAX_NAMED)
      .optional()
      .meta({ description: "Only events about these agents, by token id or wallet" }),
    owners: z
      .array(walletInput)
      .min(1)
      .max(MAX_NAMED)
      .optional()
      .meta({ description: "Only events about agents of these owners" }),
    finality: finality.optional(),
  })
  .meta({
    id: "NewWebhook",
    examples: [{ url: "https://example.com/hooks/agents", events: ["agent.registered", "cred.changed"] }],
  });

const webhookFields = {
  id: z.string().meta({ examples: ["wh_5f0c6d0e4b9a4f3c8a51d2e7b6c90f14"] }),
  url,
  events,
  agents: z
    .array(z.union([address, tokenId]))
    .nullable()
    .meta({ description: "null: events about any agent" }),
  owners: z.array(address).nullable().meta({ description: "null: events about agents of anybody" }),
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
};
export const webhookSchema = z.object(webhookFields).meta({ id: "Webhook" });

const secret = z.string().meta({
  description: "Signs what is sent; shown this once",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0C2hQ0bVq1s="],
});

export const createdWebhookSchema = z.object({ ...webhookFields, secret }).meta({ id: "CreatedWebhook" });

const waiting = {
  pending: count.meta({ description: "Deliveries that are still to be made" }),
  dead: count.meta({ description: "Deliveries that were given up" }),
};
export const webhookDetailSchema = z.object({ ...webhookFields, ...waiting }).meta({ id: "WebhookDetail" });

export const webhooksSchema = z.object({ webhooks: z.array(webhookDetailSchema) }).meta({ id: "Webhooks" });

export const deletedWebhookSchema = z
  .object({ success: z.literal(true), deleted: z.string() })
  .meta({ id: "DeletedWebhook" });

export const rotateBodySchema = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .optional()
      .meta({ description: `How long the secret before signs along; ${DEFAULT_GRACE_SECONDS} by default` }),
  })
  .optional()
  .meta({ id: "SecretRotation", examples: [{ graceSeconds: 3600 }] });

export const rotatedSecretSchema = z
  .object({
    id: z.string(),
    secret,
    previousSecretExpiresAt: moment.nullable().meta({ description: "Until then deliveries carry both signatures" }),
  })
  .meta({ id: "RotatedSecret" });

const deliverySchema = z
  .object({
    id: z.int().min(1),
    eventId: z.string().meta({ description: "The header webhook-id, the same in every attempt" }),
    type: z.string().meta({ examples: ["cred.changed", "webhook.ping"] }),
    position: count.nullable().meta({ description: "Place of the event in the log; null for a test" }),
    final: z.boolean(),
    state: z.enum(DELIVERY_STATES).meta({ description: "dead: given up; a replay sends it again" }),
    createdAt: moment,
    nextAttemptAt: moment.nullable(),
    settledAt: moment.nullable().meta({ description: "When it was delivered or given up" }),
    attempts: z
      .array(
        z.object({
          at: moment,
          status: z.int().nullable().meta({ description: "What the receiver answered; null when it did not" }),
          error: z.string().nullable().meta({ description: "Why there was no answer" }),
          durationMs: count,
        }),
      )
      .meta({ description: "The last 20, the oldest first" }),
  })
  .meta({ id: "WebhookDelivery" });

export const deliveriesSchema = z
  .object({
    limit: z.int().min(1),
    deliveries: z.array(deliverySchema),
    nextBefore: z.int().min(1).nullable().meta({ description: "`before` of the next page; null on the last" }),
  })
  .meta({ id: "WebhookDeliveries" });

export const queuedDeliverySchema = z.object({ delivery: deliverySchema }).meta({ id: "QueuedWebhookDelivery" });

export const replayBodySchema = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" })
      .meta({ description: "Deliveries that were given up then or later" }),
  })
  .meta({ id: "DeadLetterReplay", examples: [{ since: "2026-01-31T12:00:00Z" }] });

export const replayedSchema = z
  .object({
    replayed: count.meta({ description: "Deliveries that are due again" }),
    remaining: count.meta({ description: "Those of the same time that are left for another call" }),
  })
  .meta({ id: "ReplayedDeadLetters" });
