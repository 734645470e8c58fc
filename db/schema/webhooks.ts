/** Webhooks, their secrets, deliveries and schedule. */
import { sql } from "drizzle-orm";
import { index, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address } from "../../core/agents/facts.ts";
import type { EventType } from "../../core/events/events.ts";
import type { DisabledReason } from "../../core/webhooks/attempts.ts";
import type { DeliveryState, Finality, LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { at, bytes, offchain, tokenId } from "./columns.ts";

/** Webhooks: URLs to which a wallet wants events sent. Changed with the row locked, and before its deliveries. */
export const webhook = offchain.table(
  "webhook",
  (t) => ({
    webhookId: t.text().primaryKey(),
    /** The wallet that made it, and alone sees and changes it. */
    owner: t.text().$type<Address>().notNull(),
    url: t.text().notNull(),
    events: t.text().array().$type<EventType[]>().notNull(),
    /** Only events about these agents, by token id or by wallet, and of these owners; null: of any. */
    tokenIds: t.bigint({ mode: "number" }).array(),
    addresses: t.text().array().$type<Address[]>(),
    owners: t.text().array().$type<Address[]>(),
    finality: t.text().$type<Finality>().notNull(),
    createdAt: at().notNull(),
    /** Keyed hash of the site (IPv4 address, IPv6 /48) that made it; null for those made before networks were counted. */
    network: t.text(),
    /** The agent that its owner had when it made it; null for those made before agents were counted. */
    tokenId: tokenId(),
    /** Which places its deliveries may take: new, answering or slow (core/webhooks/pools.ts). */
    lane: t.text().notNull().default("new"),
    /** A slow receiver stays in its lane until then at least. */
    slowUntil: at(),
    /** It gets the events after this place of the event log. */
    fromPosition: t.bigint({ mode: "number" }).notNull(),
    /** Its own place while it is behind `webhook_cursor`, because it is off or has too much waiting; null = it is not. */
    ownPosition: t.bigint({ mode: "number" }),
    /** Null while it is on. */
    disabledAt: at(),
    disabledReason: t.text().$type<DisabledReason>(),
    /** Failed attempts since the last good one. */
    failures: t.integer().notNull().default(0),
    failingSince: at(),
    /** Nothing is sent before. */
    pausedUntil: at(),
  }),
  (t) => [
    index("webhook_owner").on(t.owner, t.createdAt),
    index("webhook_network").on(t.network),
    index("webhook_token").on(t.tokenId),
    index("webhook_own_position").on(t.webhookId).where(sql`own_position is not null`),
  ],
);

/** Secrets that sign a webhook's deliveries, sealed with a key of the configuration. */
export const webhookSecret = offchain.table(
  "webhook_secret",
  (t) => ({
    secretId: t.text().primaryKey(),
    webhookId: t
      .text()
      .notNull()
      .references(() => webhook.webhookId, { onDelete: "cascade" }),
    sealed: bytes().notNull(),
    createdAt: at().notNull(),
    /** Until when it signs along; null for the newest. */
    expiresAt: at(),
    /** Hash of the Idempotency-Key and the request that made it; null without a key. */
    request: t.text(),
  }),
  (t) => [
    uniqueIndex("webhook_secret_newest").on(t.webhookId).where(sql`expires_at is null`),
    index("webhook_secret_webhook").on(t.webhookId),
    index("webhook_secret_request").on(t.request).where(sql`request is not null`),
    index("webhook_secret_expires").on(t.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** What is sent to webhooks, one row per webhook and event. */
export const webhookDelivery = offchain.table(
  "webhook_delivery",
  (t) => ({
    /** Grows in the order of making. */
    deliveryId: t.bigserial({ mode: "number" }).primaryKey(),
    webhookId: t
      .text()
      .notNull()
      .references(() => webhook.webhookId, { onDelete: "cascade" }),
    /** Of `event`, or of a ping, which is in no log. */
    eventId: t.text().notNull(),
    eventType: t.text().notNull(),
    /** The event's place in the log that it was sent for; null for a ping. */
    position: t.bigint({ mode: "number" }),
    /** Whether the event was final when it was sent. */
    final: t.boolean().notNull(),
    state: t.text().$type<DeliveryState>().notNull().default("pending"),
    createdAt: at().notNull(),
    /** When it is sent next. */
    dueAt: at().notNull(),
    /** When it was delivered or given up. */
    settledAt: at(),
    /** Since it was made or last replayed. */
    attempts: t.smallint().notNull().default(0),
    /** The last attempts: time, status or error, duration. */
    log: t.jsonb().$type<LoggedAttempt[]>().notNull().default(sql`'[]'`),
    /** The process that is sending it; until `leaseUntil` no other may. */
    lease: t.text(),
    leaseUntil: at(),
  }),
  (t) => [
    uniqueIndex("webhook_delivery_event").on(t.webhookId, t.eventId),
    index("webhook_delivery_due").on(t.webhookId, t.dueAt, t.deliveryId).where(sql`state = 'pending'`),
    index("webhook_delivery_log").on(t.webhookId, t.deliveryId),
    index("webhook_delivery_dead").on(t.webhookId, t.settledAt).where(sql`state = 'dead'`),
    index("webhook_delivery_created").on(t.createdAt),
    index("webhook_delivery_leased").on(t.webhookId).where(sql`lease is not null`),
  ],
);

/**
 * When each owner of webhooks has its next turn, by lane; null: it has nothing to send there. A turn may be too early,
 * which costs a look; it is never too late.
 */
export const webhookTurn = offchain.table(
  "webhook_turn",
  (t) => ({
    owner: t.text().primaryKey(),
    dueNew: at(),
    dueAnswering: at(),
    dueSlow: at(),
    /** One of its receivers was slow; until then the owner has fewer places. */
    slowUntil: at(),
  }),
  (t) => [
    index("webhook_turn_new").on(t.dueNew).where(sql`due_new is not null`),
    index("webhook_turn_answering").on(t.dueAnswering).where(sql`due_answering is not null`),
    index("webhook_turn_slow").on(t.dueSlow).where(sql`due_slow is not null`),
  ],
);

/** How far the event log was handed out to webhooks; locked while it is. */
export const webhookCursor = offchain.table("webhook_cursor", (t) => ({
  /** One row. */
  one: t.boolean().primaryKey().default(true),
  /** Everything up to here was handed out to every webhook. */
  position: t.bigint({ mode: "number" }).notNull().default(0),
  /** End of the part of the log that is being handed out behind `position`; null between two parts. */
  through: t.bigint({ mode: "number" }),
  /** The webhooks up to this id have been given that part. */
  handedTo: t.text(),
  /** The webhooks up to this id were checked for missed events. */
  caughtUpTo: t.text(),
}));
