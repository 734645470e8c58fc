/** One delivery attempt: claimed, signed, sent, and stored with its consequences. */
import { randomUUID } from "node:crypto";
import type { WebhookPost } from "../../clients/ports.ts";
import { afterAttempt, FAILURES_BEFORE_PAUSE, isTaken } from "../../core/webhooks/attempts.ts";
import { eventBody, PING, pingBody } from "../../core/webhooks/payload.ts";
import { type DeliveryPool, isSlow, poolAfter } from "../../core/webhooks/pools.ts";
import { webhookHeaders } from "../../core/webhooks/signing.ts";
import { eventsById } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  postponeDelivery,
  settleDelivery,
} from "../../db/webhooks/deliveries.ts";
import { signingSecrets } from "../../db/webhooks/secrets.ts";
import { disableWebhook, lockHealth, resetFailures, storeHealth } from "../../db/webhooks/webhooks.ts";
import type { JobContext } from "../context.ts";
import type { WebhookParts } from "./parts.ts";

/** Points at which a crash test kills a delivering worker. */
export const WEBHOOK_FAULT_POINTS = ["webhook.handed-out", "webhook.claimed", "webhook.sent"] as const;

export type SendContext = Pick<JobContext, "db" | "clock" | "log" | "fault"> & { webhooks: WebhookParts };

/** Milliseconds of a claim: more than an attempt can take; a delivery of a killed worker is sent again after it. */
export const LEASE_MS = 30_000;
/** Milliseconds until the next attempt when a secret cannot be opened; the operator has to act. */
const KEYLESS_WAIT_MS = 60_000;

/** A running attempt; `done` does not reject. */
export type DeliveryAttempt = { pool: DeliveryPool; done: Promise<void> };

/**
 * Claims due deliveries and begins to send them.
 * @param slots max attempts to begin, by pool
 */
export async function beginSending(
  context: SendContext,
  slots: Record<DeliveryPool, number>,
): Promise<DeliveryAttempt[]> {
  const { db, clock, fault, log } = context;
  const now = clock();
  const deliveries = await claimDeliveries(db, {
    now,
    slots,
    lease: randomUUID(),
    leaseMs: LEASE_MS,
    failuresBeforeTrial: FAILURES_BEFORE_PAUSE,
  });
  if (deliveries.length === 0) return [];
  fault("webhook.claimed");
  const [events, secrets] = await Promise.all([
    eventsById(
      db,
      deliveries.map(({ eventId }) => eventId),
    ),
    signingSecrets(db, [...new Set(deliveries.map(({ webhookId }) => webhookId))], now),
  ]);
  const bodyOf = (delivery: ClaimedDelivery): string | null => {
    if (delivery.eventType === PING) return pingBody(delivery.webhookId, delivery.createdAt);
    const event = events.get(delivery.eventId);
    return event ? eventBody(event, { position: delivery.position!, final: delivery.final }) : null;
  };
  return deliveries.map((delivery) => ({
    pool: delivery.pool,
    done: attempt(context, delivery, bodyOf(delivery), () =>
      (secrets.get(delivery.webhookId) ?? []).map(({ secretId, sealed }) =>
        context.webhooks.secrets.open(sealed, secretId),
      ),
    ).catch((err) =>
      log.warn({ err, deliveryId: delivery.deliveryId }, "an attempt of a webhook could not be finished"),
    ),
  }));
}

/** @param openSecrets may throw when a key is missing */
async function attempt(
  context: SendContext,
  delivery: ClaimedDelivery,
  body: string | null,
  openSecrets: () => Uint8Array[],
): Promise<void> {
  const { db, clock, fault, log, webhooks } = context;
  const at = clock();
  if (body === null) {
    const outcome = { kind: "unanswered", reason: "not sent: the event is no longer kept" } as const;
    await settleDelivery(db, delivery, { at, outcome, durationMs: 0 }, { state: "dead" });
    return;
  }
  let secrets: Uint8Array[];
  try {
    secrets = openSecrets();
  } catch (err) {
    log.error({ err, webhookId: delivery.webhookId }, "a webhook's secret cannot be opened: is WEBHOOK_KEYS complete?");
    await postponeDelivery(db, { ...delivery, dueAt: new Date(at.getTime() + KEYLESS_WAIT_MS), now: at });
    return;
  }
  // The webhook was deleted after the claim, with its secrets.
  if (secrets.length === 0) return;
  const timestamp = Math.floor(at.getTime() / 1000);
  const headers = webhookHeaders(secrets, { id: delivery.eventId, timestamp, body });
  const startedAt = performance.now();
  const post = await webhooks.receivers.post(delivery.url, headers, body, { slow: delivery.pool === "slow" });
  const durationMs = Math.round(performance.now() - startedAt);
  fault("webhook.sent");
  const outcome = await settle(context, delivery, post, { at, durationMs });
  webhooks.meter?.attempted(outcome, durationMs);
}

/**
 * Check then write: lease and health, then outcome, lane, pause or switch-off; it may be replayed or deleted: the
 * lease, and the webhook's row lock before its deliveries.
 */
async function settle(
  { db, clock, log, webhooks }: SendContext,
  delivery: ClaimedDelivery,
  outcome: WebhookPost,
  made: { at: Date; durationMs: number },
): Promise<"delivered" | "failed" | "dead" | "deferred"> {
  const { webhookId } = delivery;
  if (outcome.kind === "deferred") {
    const now = clock();
    await postponeDelivery(db, { ...delivery, dueAt: new Date(now.getTime() + outcome.seconds * 1000), now });
    return "deferred";
  }
  const attempt = { ...made, outcome };
  const slow = isSlow({
    durationMs: made.durationMs,
    timedOut: outcome.kind === "unanswered" && outcome.timedOut === true,
  });
  if (isTaken(outcome) && !slow && delivery.pool === "answering") {
    await settleDelivery(db, delivery, attempt, { state: "delivered" });
    await resetFailures(db, { webhookId });
    return "delivered";
  }
  const result = await transaction(db, async (tx) => {
    // Locks the webhook before its deliveries: the order of everything that locks both.
    const health = await lockHealth(tx, { webhookId });
    if (health === null) return null;
    const now = clock();
    const follows = afterAttempt({
      attempts: delivery.attempts + 1,
      health,
      outcome,
      now,
      random: webhooks.random(),
    });
    const pool = poolAfter(health, { slow, answered: outcome.kind === "answered", now });
    const slowUntil = slow ? pool.slowUntil : null;
    if (!(await settleDelivery(tx, delivery, attempt, { ...follows.delivery, slowUntil }))) return null;
    await storeHealth(tx, { webhookId, ...follows.receiver, ...pool });
    const disable = health.disabledAt === null ? follows.disable : null;
    if (disable) await disableWebhook(tx, { webhookId, now, reason: disable });
    return { ...follows, disable };
  });
  if (result?.disable) {
    log.warn({ webhookId, reason: result.disable }, "a webhook was switched off");
    webhooks.meter?.disabled(result.disable);
  }
  if (result?.delivery.state === "delivered") return "delivered";
  return result?.delivery.state === "dead" ? "dead" : "failed";
}
