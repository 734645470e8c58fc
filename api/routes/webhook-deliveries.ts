/** Deliveries of a webhook: their log, a test, and repeating deliveries that were given up. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { deliveryView } from "../../core/views/webhooks.ts";
import { DELIVERY_STATES } from "../../core/webhooks/webhook.ts";
import { countDead, deliveryPage, insertPing, replayDead, replayDelivery } from "../../db/webhooks/delivery-log.ts";
import { endpoint } from "../endpoint.ts";
import { integer, limit, optionalChoice, webhookId } from "../parameters.ts";
import { deliveriesSchema, queuedDeliverySchema, replayBodySchema, replayedSchema } from "../schemas/webhooks.ts";
import { enabledWebhook, ownWebhook } from "../services/webhooks.ts";
import { requestName } from "./message-groups.ts";

const tag = "Webhooks";
const guard = { caller: "siwa" } as const;
const params = z.object({ webhookId });
const deliveryId = integer({ min: 1, max: Number.MAX_SAFE_INTEGER, what: "The delivery's id" });
/** Max dead deliveries that become due with one call. */
const MAX_REPLAYED = 1_000;

export const webhookDeliveries = endpoint({
  path: "/api/v2/webhooks/{webhookId}/deliveries",
  operationId: "listWebhookDeliveries",
  tag,
  summary: "What was sent to a webhook and what came of it, the newest first",
  description: "Kept as long as the event log. What a receiver answers beyond its status is kept nowhere.",
  guard,
  params,
  query: z.object({
    state: optionalChoice(DELIVERY_STATES, "Only deliveries in this state"),
    limit: limit({ default: 50, max: 200 }),
    before: integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      what: "`nextBefore` of the page before",
    }).optional(),
  }),
  responses: { 200: { description: "A page of deliveries", schema: deliveriesSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query, caller }, json) {
    const webhook = await ownWebhook(deps.db, { owner: caller.wallet, ...params });
    // One row above the limit shows whether there is a next page.
    const found = await deliveryPage(deps.db, webhook.webhookId, { ...query, limit: query.limit + 1 });
    const deliveries = found.slice(0, query.limit);
    return json({
      limit: query.limit,
      deliveries: deliveries.map(deliveryView),
      nextBefore: found.length > deliveries.length ? deliveries.at(-1)!.deliveryId : null,
    });
  },
});

export const webhookTest = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/test",
  operationId: "testWebhook",
  tag,
  summary: "Send a webhook.ping",
  description: "Signed, tried again and logged like any other delivery; a pause of the webhook ends.",
  guard,
  params,
  responses: { 202: { description: "The delivery, which is due", schema: queuedDeliverySchema } },
  errors: ["not_found", "conflict"],
  async handler({ deps, params, caller, idempotencyKey, fingerprint, now, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, ...params });
    await count("webhook-sends", caller.wallet);
    const name = requestName(idempotencyKey, fingerprint) ?? randomBytes(24).toString("base64url");
    const eventId = `ping_${name.slice(0, 24)}`;
    const delivery = await insertPing(deps.db, { webhookId, eventId, now: new Date(now) });
    return json({ delivery: deliveryView(delivery) }, { status: 202 });
  },
});

export const webhookReplay = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
  operationId: "replayWebhookDelivery",
  tag,
  summary: "Send a delivery once more",
  description:
    "One that was given up or delivered is due again, with all its attempts; one that still waits is left as it is. The receiver sees the same webhook-id.",
  guard,
  params: params.extend({ deliveryId }),
  responses: { 202: { description: "The delivery", schema: queuedDeliverySchema } },
  errors: ["not_found", "conflict", "gone"],
  async handler({ deps, params, caller, now, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, webhookId: params.webhookId });
    await count("webhook-sends", caller.wallet);
    const delivery = await replayDelivery(deps.db, {
      webhookId,
      deliveryId: params.deliveryId,
      now: new Date(now),
    });
    return json({ delivery: deliveryView(delivery) }, { status: 202 });
  },
});

export const webhookReplayDead = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/replay",
  operationId: "replayDeadWebhookDeliveries",
  tag,
  summary: "Send everything once more that was given up since a time",
  description: `At most ${MAX_REPLAYED} with one call, the oldest first; \`remaining\` tells of the rest.`,
  guard,
  params,
  body: replayBodySchema,
  responses: { 202: { description: "How many deliveries are due again", schema: replayedSchema } },
  errors: ["not_found", "conflict"],
  async handler({ deps, params, body, caller, now, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, ...params });
    await count("webhook-sends", caller.wallet);
    const since = new Date(body.since);
    const replayed = await replayDead(deps.db, { webhookId, since, most: MAX_REPLAYED, now: new Date(now) });
    return json({ replayed, remaining: await countDead(deps.db, { webhookId, since }) }, { status: 202 });
  },
});
