/** What the owner of webhooks does with them: makes and ends them, changes secrets, has deliveries sent. */
import { randomBytes, randomUUID } from "node:crypto";
import type { SecretBox } from "../../clients/ports.ts";
import { fail } from "../../core/errors.ts";
import type { Address } from "../../core/facts.ts";
import { SECRET_BYTES, secretText } from "../../core/webhooks/signing.ts";
import type { Webhook, Wishes } from "../../core/webhooks/webhook.ts";
import { eventLog } from "../../db/events.ts";
import { type Queryable, transaction } from "../../db/transaction.ts";
import { insertSecret, retireSecrets, type SealedSecret, secretByRequest } from "../../db/webhooks/secrets.ts";
import { countWebhooksOf, insertWebhook, lockWebhook, lockWebhooksOf, webhookOf } from "../../db/webhooks/webhooks.ts";
import type { ApiDeps } from "../deps.ts";

export type Own = { owner: Address; webhookId: string };

/** @throws Failure not_found, for somebody else's webhook too */
export const noSuchWebhook = (): never => fail("not_found", "You have no webhook of this id.");

/** A webhook of the caller's. @throws Failure not_found */
export async function ownWebhook(db: Queryable, { owner, webhookId }: Own): Promise<Webhook> {
  return (await webhookOf(db, owner, webhookId)) ?? noSuchWebhook();
}

/** A webhook that deliveries can be made to. @throws Failure not_found, conflict */
export async function enabledWebhook(db: Queryable, own: Own): Promise<Webhook> {
  const webhook = await ownWebhook(db, own);
  if (webhook.disabledAt === null) return webhook;
  return fail("conflict", "The webhook is switched off.", {
    hint: `POST /api/v2/webhooks/${webhook.webhookId}/enable switches it on.`,
  });
}

export type WebhookRequest = Wishes & {
  owner: Address;
  url: string;
  /** Names the same request again; null where nothing does. */
  request: string | null;
  now: Date;
};

/**
 * Makes a webhook; the same request again finds it.
 * @throws Failure invalid_input, conflict, upstream_unavailable
 */
export async function createWebhook(
  deps: Pick<ApiDeps, "db" | "webhooks" | "config">,
  { url, request, now, ...asked }: WebhookRequest,
): Promise<{ webhook: Webhook; secret: string }> {
  const { targets, secrets } = webhookParts(deps);
  const problem = targets.problem(url);
  if (problem !== null)
    return fail("invalid_input", `The URL ${problem}.`, { details: [{ path: "url", message: problem }] });
  const href = new URL(url);
  href.hash = "";
  return transaction(deps.db, async (tx) => {
    await lockWebhooksOf(tx, asked.owner);
    const before = await earlier(tx, secrets, asked.owner, request);
    if (before)
      return { webhook: await ownWebhook(tx, { ...asked, webhookId: before.webhookId }), secret: before.text };
    const most = deps.config.webhooks.perWallet;
    if ((await countWebhooksOf(tx, asked.owner)) >= most)
      fail("conflict", `This wallet has ${most} webhooks; it can have no more.`);
    const webhookId = `wh_${randomUUID().replaceAll("-", "")}`;
    const { head } = await eventLog(tx);
    await insertWebhook(tx, { ...asked, webhookId, url: href.href, createdAt: now }, head);
    const secret = await addSecret(tx, secrets, { webhookId, request, now });
    return { webhook: await ownWebhook(tx, { ...asked, webhookId }), secret };
  });
}

/**
 * Gives a webhook another secret; the one before signs along for a time.
 * @throws Failure not_found, upstream_unavailable
 */
export async function rotateSecret(
  deps: Pick<ApiDeps, "db" | "webhooks">,
  { owner, webhookId, request, graceSeconds, now }: Own & { request: string | null; graceSeconds: number; now: Date },
): Promise<{ secret: string; previousExpiresAt: Date }> {
  const { secrets } = webhookParts(deps);
  return transaction(deps.db, async (tx) => {
    if (!(await lockWebhook(tx, owner, webhookId))) return noSuchWebhook();
    const before = await earlier(tx, secrets, owner, request);
    const previousExpiresAt = new Date((before?.createdAt ?? now).getTime() + graceSeconds * 1000);
    if (before?.webhookId === webhookId) return { secret: before.text, previousExpiresAt };
    await retireSecrets(tx, webhookId, previousExpiresAt);
    return { secret: await addSecret(tx, secrets, { webhookId, request, now }), previousExpiresAt };
  });
}

/** @throws Failure upstream_unavailable where no key is configured */
function webhookParts({ webhooks }: Pick<ApiDeps, "webhooks">) {
  return webhooks ?? fail("upstream_unavailable", "This service has no key to keep the secrets of webhooks with.");
}

/** What the same request has made before, opened: a client that lost the answer has not seen its secret. */
async function earlier(
  tx: Queryable,
  secrets: SecretBox,
  owner: Address,
  request: string | null,
): Promise<(SealedSecret & { text: string }) | null> {
  const found = request === null ? null : await secretByRequest(tx, owner, request);
  return found && { ...found, text: secretText(secrets.open(found.sealed, found.secretId)) };
}

async function addSecret(
  tx: Queryable,
  secrets: SecretBox,
  { webhookId, request, now }: { webhookId: string; request: string | null; now: Date },
): Promise<string> {
  const secret = randomBytes(SECRET_BYTES);
  const secretId = randomUUID();
  const sealed = secrets.seal(secret, secretId);
  await insertSecret(tx, { secretId, webhookId, sealed, createdAt: now, request });
  return secretText(secret);
}
