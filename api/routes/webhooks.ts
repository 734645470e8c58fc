/**
 * Webhooks of a wallet: create, read, delete, enable again, change the secret; their deliveries, a test, repeating what was given up.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Address } from "../../core/agents/facts.ts";
import { deliveryView, webhookSchema, webhookView } from "../../core/views/webhooks.ts";
import { DELIVERY_STATES, type Webhook } from "../../core/webhooks/webhook.ts";
import {
  countDead,
  deliveryCounts,
  deliveryPage,
  insertPing,
  replayDead,
  replayDelivery,
} from "../../db/webhooks/delivery-log.ts";
import { deleteWebhook, enableWebhook, webhooksOf } from "../../db/webhooks/webhooks.ts";
import type { ApiDeps } from "../deps.ts";
import { endpointsOf } from "../endpoint.ts";
import { customerOf } from "../http/client-network.ts";
import { integer, limit, optionalChoice, webhookId } from "../parameters.ts";
import { pageOf } from "../reply.ts";
import * as schemas from "../schemas/webhooks.ts";
import { createWebhook, enabledWebhook, noSuchWebhook, ownWebhook, rotateSecret } from "../services/webhooks.ts";
import { requestName } from "./message-groups.ts";

const endpoint = endpointsOf({ tag: "Webhooks", named: { webhookId }, guard: { caller: "siwa" } });

/** With its waiting deliveries. */
async function detailed({ db }: Pick<ApiDeps, "db">, webhooks: readonly Webhook[]) {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const counts = await deliveryCounts(db, ids);
  return webhooks.map((webhook) => ({
    ...webhookView(webhook),
    ...(counts.get(webhook.webhookId) ?? { pending: 0, dead: 0 }),
  }));
}

export const newWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks",
  operationId: "createWebhook",
  summary: "Have events sent to a URL",
  description:
    "By an agent's own wallet, and by the rules of Standard Webhooks; what is sent is what GET /api/v2/events lists. The secret that signs is shown this once. It begins with what happens from now on.",
  body: schemas.webhookBodySchema,
  responses: { 201: { description: "The webhook with its secret", schema: schemas.createdWebhookSchema } },
  errors: ["invalid_input", "forbidden", "conflict", "upstream_unavailable", "indexer_behind"],
  async handler({ deps, body, caller, networks, idempotencyKey, fingerprint, at }, json) {
    const agents = body.agents ?? [];
    const { webhook, secret } = await createWebhook(deps, {
      url: body.url,
      events: [...new Set(body.events)],
      finality: body.finality ?? "any",
      tokenIds: listed(agents.filter((agent) => typeof agent === "number")),
      addresses: listed(agents.filter((agent): agent is Address => typeof agent === "string")),
      owners: listed(body.owners ?? []),
      owner: caller.wallet,
      site: customerOf(networks),
      now: at,
      request: requestName(idempotencyKey, fingerprint),
    });
    // Not stored with the key, because it has the secret: a repetition finds the webhook that the first request made.
    return json({ ...webhookView(webhook), secret }, { status: 201, final: false });
  },
});

/** Each once; null for an empty list, which means any. */
const listed = <T>(values: readonly T[]): T[] | null => (values.length > 0 ? [...new Set(values)] : null);

export const listOfWebhooks = endpoint({
  path: "/api/v2/webhooks",
  operationId: "listWebhooks",
  summary: "Your webhooks, the oldest first",
  responses: { 200: { description: "Those of the calling wallet", schema: schemas.webhooksSchema } },
  handler: async ({ deps, caller }, json) =>
    json({ webhooks: await detailed(deps, await webhooksOf(deps.db, { owner: caller.wallet })) }),
});

export const oneWebhook = endpoint({
  path: "/api/v2/webhooks/{webhookId}",
  operationId: "getWebhook",
  summary: "A webhook of yours, with what waits for it",
  responses: { 200: { description: "The webhook", schema: schemas.webhookDetailSchema } },
  async handler({ deps, params, caller }, json) {
    const webhook = await ownWebhook(deps.db, { owner: caller.wallet, ...params });
    const [detail] = await detailed(deps, [webhook]);
    return json(detail!);
  },
});

export const endWebhook = endpoint({
  method: "delete",
  path: "/api/v2/webhooks/{webhookId}",
  operationId: "deleteWebhook",
  summary: "End a webhook, with its secrets and its deliveries",
  responses: { 200: { description: "Deleted", schema: schemas.deletedWebhookSchema } },
  async handler({ deps, params, caller }, json) {
    if (!(await deleteWebhook(deps.db, caller.wallet, params.webhookId))) return noSuchWebhook();
    return json({ success: true, deleted: params.webhookId });
  },
});

export const switchOnWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/enable",
  operationId: "enableWebhook",
  summary: "Switch a webhook on again",
  description:
    "It goes on where it stopped: deliveries that wait are made, and what happened while it was off follows, as far as the event log goes back. A pause ends too.",
  responses: { 200: { description: "The webhook, switched on", schema: webhookSchema } },
  async handler({ deps, params, caller, at }, json) {
    const webhook = await enableWebhook(deps.db, caller.wallet, params.webhookId, at);
    return webhook ? json(webhookView(webhook)) : noSuchWebhook();
  },
});

export const rotateWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/rotate",
  operationId: "rotateWebhookSecret",
  summary: "Give a webhook another secret",
  description:
    "Until the end of the grace time deliveries carry two signatures, the new secret's first. A grace time of 0 ends the secret before at once.",
  body: schemas.rotateBodySchema,
  responses: { 200: { description: "The new secret, shown this once", schema: schemas.rotatedSecretSchema } },
  errors: ["upstream_unavailable"],
  async handler({ deps, params, body, caller, idempotencyKey, fingerprint, at }, json) {
    const graceSeconds = body?.graceSeconds ?? schemas.DEFAULT_GRACE_SECONDS;
    const { secret, previousExpiresAt } = await rotateSecret(deps, {
      owner: caller.wallet,
      webhookId: params.webhookId,
      graceSeconds,
      now: at,
      request: requestName(idempotencyKey, fingerprint),
    });
    return json(
      {
        id: params.webhookId,
        secret,
        previousSecretExpiresAt: graceSeconds === 0 ? null : previousExpiresAt.toISOString(),
      },
      { final: false },
    );
  },
});

const deliveryId = integer({ min: 1, max: Number.MAX_SAFE_INTEGER, what: "The delivery's id" });
/** Max dead deliveries that become due with one call. */
const MAX_REPLAYED = 1_000;

export const webhookDeliveries = endpoint({
  path: "/api/v2/webhooks/{webhookId}/deliveries",
  operationId: "listWebhookDeliveries",
  summary: "What was sent to a webhook and what came of it, the newest first",
  description: "Kept as long as the event log. What a receiver answers beyond its status is kept nowhere.",
  query: z.object({
    state: optionalChoice(DELIVERY_STATES, "Only deliveries in this state"),
    limit: limit({ default: 50, max: 200 }),
    before: integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      what: "`nextBefore` of the page before",
    }).optional(),
  }),
  responses: { 200: { description: "A page of deliveries", schema: schemas.deliveriesSchema } },
  async handler({ deps, params, query, caller }, json) {
    const webhook = await ownWebhook(deps.db, { owner: caller.wallet, ...params });
    const { limit } = query;
    const { rows, last } = pageOf(
      await deliveryPage(deps.db, webhook.webhookId, { ...query, limit: limit + 1 }),
      limit,
    );
    return json({ limit, deliveries: rows.map(deliveryView), nextBefore: last?.deliveryId ?? null });
  },
});

export const webhookTest = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/test",
  operationId: "testWebhook",
  summary: "Send a webhook.ping",
  description: "Signed, tried again and logged like any other delivery; a pause of the webhook ends.",
  responses: { 202: { description: "The delivery, which is due", schema: schemas.queuedDeliverySchema } },
  errors: ["conflict"],
  async handler({ deps, params, caller, idempotencyKey, fingerprint, at, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, ...params });
    await count("webhook-sends", caller.wallet);
    const name = requestName(idempotencyKey, fingerprint) ?? randomBytes(24).toString("base64url");
    const eventId = `ping_${name.slice(0, 24)}`;
    const delivery = await insertPing(deps.db, { webhookId, eventId, now: at });
    return json({ delivery: deliveryView(delivery) }, { status: 202 });
  },
});

export const webhookReplay = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
  operationId: "replayWebhookDelivery",
  summary: "Send a delivery once more",
  description:
    "One that was given up or delivered is due again, with all its attempts; one that still waits is left as it is. The receiver sees the same webhook-id.",
  params: z.object({ webhookId, deliveryId }),
  responses: { 202: { description: "The delivery", schema: schemas.queuedDeliverySchema } },
  errors: ["not_found", "conflict", "gone"],
  async handler({ deps, params, caller, at, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, webhookId: params.webhookId });
    await count("webhook-sends", caller.wallet);
    const delivery = await replayDelivery(deps.db, {
      webhookId,
      deliveryId: params.deliveryId,
      now: at,
    });
    return json({ delivery: deliveryView(delivery) }, { status: 202 });
  },
});

export const webhookReplayDead = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/replay",
  operationId: "replayDeadWebhookDeliveries",
  summary: "Send everything once more that was given up since a time",
  description: `At most ${MAX_REPLAYED} with one call, the oldest first; \`remaining\` counts the rest.`,
  body: schemas.replayBodySchema,
  responses: { 202: { description: "How many deliveries are due again", schema: schemas.replayedSchema } },
  errors: ["conflict"],
  async handler({ deps, params, body, caller, at, count }, json) {
    const { webhookId } = await enabledWebhook(deps.db, { owner: caller.wallet, ...params });
    await count("webhook-sends", caller.wallet);
    const since = new Date(body.since);
    const replayed = await replayDead(deps.db, { webhookId, since, most: MAX_REPLAYED, now: at });
    return json({ replayed, remaining: await countDead(deps.db, { webhookId, since }) }, { status: 202 });
  },
});
