/** The owner's operations on webhooks: create, delete, change secrets, send deliveries. */
import { randomBytes, randomUUID } from "node:crypto";
import type { SecretBox } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { forUnknownCallers } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";
import { SECRET_BYTES, secretText } from "../../core/webhooks/signing.ts";
import type { Subscription, Webhook } from "../../core/webhooks/webhook.ts";
import { ownAgents } from "../../db/agents/wallets.ts";
import { eventLog } from "../../db/events/events.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import { slowUntilOf } from "../../db/webhooks/owner-schedule.ts";
import { insertSecret, retireSecrets, type SealedSecret, secretByRequest } from "../../db/webhooks/secrets.ts";
import {
  countWebhooks,
  deleteOldestOfFormerOwners,
  insertWebhook,
  lockWebhook,
  lockWebhookCounts,
  webhookOf,
} from "../../db/webhooks/webhooks.ts";
import type { ApiDeps } from "../deps.ts";

export type WebhookOwner = { owner: Address; webhookId: string };

/** @throws Failure not_found, also for another owner's webhook */
export const noSuchWebhook = (): never =>
  fail("not_found", "You have no webhook of this id.", { hint: "GET /api/v2/webhooks lists yours." });

/** The next step of whoever has as many as there may be. */
const ONE_LESS = "DELETE /api/v2/webhooks/<id> ends one of those that GET /api/v2/webhooks lists.";

/** A webhook of the caller's. @throws Failure not_found */
export async function ownWebhook(db: Queryable, { owner, webhookId }: WebhookOwner): Promise<Webhook> {
  return (await webhookOf(db, { owner, webhookId })) ?? noSuchWebhook();
}

/** A webhook that deliveries can be made to. @throws Failure not_found, conflict */
export async function enabledWebhook(db: Queryable, own: WebhookOwner): Promise<Webhook> {
  const webhook = await ownWebhook(db, own);
  if (webhook.disabledAt === null) return webhook;
  return fail("conflict", "The webhook is switched off.", {
    hint: `POST /api/v2/webhooks/${webhook.webhookId}/enable switches it on.`,
  });
}

export type WebhookRequest = Subscription & {
  owner: Address;
  url: string;
  /** The site that the request comes from: an IPv4 address, or an IPv6 /48. */
  site: string;
  /** Names repetitions of the request; null without an Idempotency-Key. */
  request: string | null;
  now: Date;
};

/**
 * Makes a webhook for a wallet with an agent; a repetition of the request finds it.
 * Check then write: agent, counts and the same request, then webhook and secret (`rotateSecret`); parallel requests may
 * come: counts are taken under one advisory lock, in the transaction that adds the webhook; a secret is changed under
 * the webhook's row lock, and the newest one is unique.
 * Bound: webhooks, only for a wallet with an agent; 20 of a wallet and of an agent, 100 of a site and 10,000 in all
 * (names in LIMITS). An agent that has passed to another wallet brings its
 * place: its former owner's oldest webhook goes. A quarter of all is kept for agents that were paid for or have cred.
 * @throws Failure invalid_input, forbidden, conflict, upstream_unavailable, indexer_behind
 */
export async function createWebhook(
  deps: Pick<ApiDeps, "db" | "webhooks" | "config">,
  { url, request, site, now, ...asked }: WebhookRequest,
): Promise<{ webhook: Webhook; secret: string }> {
  const { targets, secrets } = webhookParts(deps);
  const problem = targets.problem(url);
  if (problem !== null)
    return fail("invalid_input", `The URL ${problem}.`, { details: [{ path: "url", message: problem }] });
  const href = new URL(url);
  href.hash = "";
  const networks = secrets.pseudonyms(site);
  return transaction(deps.db, async (tx) => {
    await lockWebhookCounts(tx);
    const before = await earlier(tx, secrets, asked.owner, request);
    if (before)
      return { webhook: await ownWebhook(tx, { ...asked, webhookId: before.webhookId }), secret: before.text };
    const tokenId = await requireAgent(tx, asked.owner);
    await requirePlace(tx, deps.config.webhooks, { owner: asked.owner, tokenId, networks });
    const webhookId = `wh_${randomUUID().replaceAll("-", "")}`;
    const { head } = await eventLog(tx);
    const slowUntil = await slowUntilOf(tx, { owner: asked.owner, now });
    const made = { webhookId, url: href.href, createdAt: now, network: networks[0], tokenId, slowUntil };
    await insertWebhook(tx, { ...asked, ...made }, head);
    const secret = await addSecret(tx, secrets, { webhookId, request, now });
    return { webhook: await ownWebhook(tx, { ...asked, webhookId }), secret };
  });
}

/**
 * The wallet's agent, which it needs because a webhook costs the service something. @throws Failure forbidden
 */
async function requireAgent(tx: Queryable, wallet: Address): Promise<number> {
  const tokenId = (await ownAgents(tx, [wallet])).get(wallet);
  if (tokenId !== undefined) return tokenId;
  return fail("forbidden", "Webhooks are for agents, and this wallet has none.", {
    hint: "Register one with POST /api/v2/mint, or sign with an agent's own wallet. GET /api/v2/events is open to all.",
  });
}

/** @throws Failure conflict */
async function requirePlace(
  tx: Queryable,
  { perWallet, perNetwork, inAll }: ApiDeps["config"]["webhooks"],
  who: { owner: Address; tokenId: number; networks: readonly string[] },
): Promise<void> {
  const { ofOwner, ofAgent, ofNetwork, all, isKnown } = await countWebhooks(tx, who);
  if (ofOwner >= perWallet)
    fail("conflict", `This wallet has ${perWallet} webhooks; it can have no more.`, { hint: ONE_LESS });
  if (ofAgent >= perWallet && (await deleteOldestOfFormerOwners(tx, who))) return;
  if (ofNetwork >= perNetwork)
    fail("conflict", `${perNetwork} webhooks were made from this network; there can be no more until one is deleted.`, {
      hint: ONE_LESS,
    });
  if (all >= (isKnown ? inAll : forUnknownCallers(inAll)))
    fail("conflict", "The service has as many webhooks as it takes.", {
      hint: "Agents that were paid for or have cred are still given some. GET /api/v2/events streams the same events.",
    });
}

/**
 * Gives a webhook another secret; the former one also signs during the grace time.
 * @throws Failure not_found, upstream_unavailable
 */
export async function rotateSecret(
  deps: Pick<ApiDeps, "db" | "webhooks">,
  {
    owner,
    webhookId,
    request,
    graceSeconds,
    now,
  }: WebhookOwner & { request: string | null; graceSeconds: number; now: Date },
): Promise<{ secret: string; previousExpiresAt: Date }> {
  const { secrets } = webhookParts(deps);
  return transaction(deps.db, async (tx) => {
    if (!(await lockWebhook(tx, { owner, webhookId }))) return noSuchWebhook();
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

/**
 * The secret that an earlier run of the same request made, decrypted: a client that lost the answer has not seen it.
 */
async function earlier(
  tx: Queryable,
  secrets: SecretBox,
  owner: Address,
  request: string | null,
): Promise<(SealedSecret & { text: string }) | null> {
  const secret = request === null ? null : await secretByRequest(tx, { owner, request });
  return secret && { ...secret, text: secretText(secrets.open(secret.sealed, secret.secretId)) };
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
