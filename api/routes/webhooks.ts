/** Webhooks of a wallet: create, read, delete, enable again, change the secret. */
import { z } from "zod";
import type { Address } from "../../core/agents/facts.ts";
import { webhookSchema, webhookView } from "../../core/views/webhooks.ts";
import type { Webhook } from "../../core/webhooks/webhook.ts";
import { deliveryCounts } from "../../db/webhooks/delivery-log.ts";
import { deleteWebhook, enableWebhook, webhooksOf } from "../../db/webhooks/webhooks.ts";
import type { ApiDeps } from "../deps.ts";
import { endpoint } from "../endpoint.ts";
import { siteOf } from "../http/client-network.ts";
import { webhookId } from "../parameters.ts";
import {
  createdWebhookSchema,
  DEFAULT_GRACE_SECONDS,
  deletedWebhookSchema,
  rotateBodySchema,
  rotatedSecretSchema,
  webhookBodySchema,
  webhookDetailSchema,
  webhooksSchema,
} from "../schemas/webhooks.ts";
import { createWebhook, noSuchWebhook, ownWebhook, rotateSecret } from "../services/webhooks.ts";
import { requestName } from "./message-groups.ts";

const tag = "Webhooks";
const guard = { caller: "siwa" } as const;
const params = z.object({ webhookId });

/** With its waiting deliveries. */
async function detailed({ db }: Pick<ApiDeps, "db">, webhooks: readonly Webhook[]) {
  const counts = await deliveryCounts(
    db,
    webhooks.map(({ webhookId }) => webhookId),
  );
  return webhooks.map((webhook) => ({
    ...webhookView(webhook),
    ...(counts.get(webhook.webhookId) ?? { pending: 0, dead: 0 }),
  }));
}

export const newWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks",
  operationId: "createWebhook",
  tag,
  summary: "Have events sent to a URL",
  description:
    "By an agent's own wallet, and by the rules of Standard Webhooks; what is sent is what GET /api/v2/events tells. The secret that signs is shown this once. It begins with what happens from now on.",
  guard,
  body: webhookBodySchema,
  responses: { 201: { description: "The webhook with its secret", schema: createdWebhookSchema } },
  errors: ["invalid_input", "forbidden", "conflict", "upstream_unavailable", "indexer_behind"],
  async handler({ deps, body, caller, networks, idempotencyKey, fingerprint, now }, json) {
    const agents = body.agents ?? [];
    const { webhook, secret } = await createWebhook(deps, {
      url: body.url,
      events: [...new Set(body.events)],
      finality: body.finality ?? "any",
      tokenIds: listed(agents.filter((agent) => typeof agent === "number")),
      addresses: listed(agents.filter((agent): agent is Address => typeof agent === "string")),
      owners: listed(body.owners ?? []),
      owner: caller.wallet,
      site: siteOf(networks),
      now: new Date(now),
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
  tag,
  summary: "Your webhooks, the oldest first",
  guard,
  responses: { 200: { description: "Those of the calling wallet", schema: webhooksSchema } },
  handler: async ({ deps, caller }, json) =>
    json({ webhooks: await detailed(deps, await webhooksOf(deps.db, { owner: caller.wallet })) }),
});

export const oneWebhook = endpoint({
  path: "/api/v2/webhooks/{webhookId}",
  operationId: "getWebhook",
  tag,
  summary: "A webhook of yours, with what waits for it",
  guard,
  params,
  responses: { 200: { description: "The webhook", schema: webhookDetailSchema } },
  errors: ["not_found"],
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
  tag,
  summary: "End a webhook, with its secrets and its deliveries",
  guard,
  params,
  responses: { 200: { description: "Deleted", schema: deletedWebhookSchema } },
  errors: ["not_found"],
  async handler({ deps, params, caller }, json) {
    if (!(await deleteWebhook(deps.db, caller.wallet, params.webhookId))) return noSuchWebhook();
    return json({ success: true, deleted: params.webhookId });
  },
});

export const switchOnWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/enable",
  operationId: "enableWebhook",
  tag,
  summary: "Switch a webhook on again",
  description:
    "It goes on where it stopped: deliveries that wait are made, and what happened while it was off follows, as far as the event log goes back. A pause ends too.",
  guard,
  params,
  responses: { 200: { description: "The webhook, switched on", schema: webhookSchema } },
  errors: ["not_found"],
  async handler({ deps, params, caller, now }, json) {
    const webhook = await enableWebhook(deps.db, caller.wallet, params.webhookId, new Date(now));
    return webhook ? json(webhookView(webhook)) : noSuchWebhook();
  },
});

export const rotateWebhook = endpoint({
  method: "post",
  path: "/api/v2/webhooks/{webhookId}/rotate",
  operationId: "rotateWebhookSecret",
  tag,
  summary: "Give a webhook another secret",
  description:
    "Until the end of the grace time deliveries carry two signatures, the new secret's first. A grace time of 0 ends the secret before at once.",
  guard,
  params,
  body: rotateBodySchema,
  responses: { 200: { description: "The new secret, shown this once", schema: rotatedSecretSchema } },
  errors: ["not_found", "upstream_unavailable"],
  async handler({ deps, params, body, caller, idempotencyKey, fingerprint, now }, json) {
    const graceSeconds = body?.graceSeconds ?? DEFAULT_GRACE_SECONDS;
    const { secret, previousExpiresAt } = await rotateSecret(deps, {
      owner: caller.wallet,
      webhookId: params.webhookId,
      graceSeconds,
      now: new Date(now),
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
