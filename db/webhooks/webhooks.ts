/** Webhooks: owner, URL, subscription, health, and whether they are enabled. */
import { and, eq } from "drizzle-orm";
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { CREATOR_MIN_CRED } from "../../core/messages/message-groups.ts";
import type { DisabledReason } from "../../core/webhooks/attempts.ts";
import type { DeliveryPool } from "../../core/webhooks/pools.ts";
import type { Subscription, Webhook } from "../../core/webhooks/webhook.ts";
import { isPaidFor } from "../mints/mints.ts";
import { webhook as webhookTable } from "../schema/webhooks.ts";
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { orm } from "../sql/orm.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { scheduleOwners } from "./owner-schedule.ts";

/** NOTIFY channel that wakes the workers for deliveries that no event announces. */
export const WEBHOOKS_CHANNEL = "webhooks";

const HEALTH = {
  ...columnsOf(webhookTable, { only: ["failures", "failingSince", "pausedUntil", "slowUntil"] }),
  pool: t.narrow<DeliveryPool>(t.text),
};

/** A webhook in the shape of `Webhook`. */
export const WEBHOOK_COLUMNS = {
  ...columnsOf(webhookTable, { without: ["network", "tokenId", "lane", "fromPosition", "ownPosition"] }),
  pool: t.narrow<DeliveryPool>(t.text),
};
/** SQL of a webhook `w`. */
export const WEBHOOK = t.fieldsOf(WEBHOOK_COLUMNS, { of: "w", as: { pool: "w.lane" } });

export type NewWebhook = Subscription &
  Pick<Webhook, "webhookId" | "owner" | "url" | "createdAt"> & {
    /** Keyed hash of the site that creates it. */
    network: string | null;
    /** Its owner's agent. */
    tokenId: number | null;
    /** Until then its owner counts as slow, and so does the webhook. */
    slowUntil: Date | null;
  };

/** Adds a webhook that receives events after `fromPosition`. */
export async function insertWebhook(tx: Queryable, webhook: NewWebhook, fromPosition: number): Promise<void> {
  await orm(tx)
    .insert(webhookTable)
    .values({ ...webhook, fromPosition, lane: webhook.slowUntil ? "slow" : "new" });
}

/** Lets one transaction at a time create webhooks: their number is counted under this lock. */
export const lockWebhookCounts = statement({
  name: "webhook-counts-lock",
  text: `select pg_advisory_xact_lock(${ADVISORY_LOCKS.webhookCounts})`,
  columns: { pg_advisory_xact_lock: t.pgType<string>("void") },
}).run;

/**
 * Number of webhooks: of a wallet, of all wallets that made them with its agent, of a network under any of its hashes,
 * and in total.
 * @returns also whether the agent has more than a stranger can make: the cred of who may create groups, or a paid mint
 */
export const countWebhooks = statement({
  name: "webhook-counts",
  params: { owner: t.narrow<Address>(t.text), tokenId: t.int8, networks: t.array(t.text) },
  text: `
    select (select count(*)::int from offchain.webhook where owner = $owner) as "ofOwner",
      (select count(*)::int from offchain.webhook where token_id = $tokenId) as "ofAgent",
      (select count(*)::int from offchain.webhook where network = any($networks)) as "ofNetwork",
      (select count(*)::int from offchain.webhook) as "all",
      exists (select from offchain.cred where token_id = $tokenId and score >= ${CREATOR_MIN_CRED})
        or ${isPaidFor("$tokenId")} as "isKnown"`,
  columns: { ofOwner: t.int4, ofAgent: t.int4, ofNetwork: t.int4, all: t.int4, isKnown: t.bool },
  prepared: true,
}).one;

/** Deletes the oldest webhook that a former owner made with an agent. @returns whether there was one */
export const deleteOldestOfFormerOwners = statement({
  name: "webhook-delete-oldest-of-former-owners",
  params: { tokenId: t.int8, owner: t.text },
  text: `
    delete from offchain.webhook where webhook_id = (
      select webhook_id from offchain.webhook where token_id = $tokenId and owner <> $owner
      order by created_at, webhook_id limit 1)`,
}).found;

/** A wallet's webhooks, the oldest first. */
export const webhooksOf = statement({
  name: "webhooks-of",
  params: { owner: t.narrow<Address>(t.text) },
  text: `select ${WEBHOOK} from offchain.webhook w where w.owner = $owner order by w.created_at, w.webhook_id`,
  columns: WEBHOOK_COLUMNS,
  prepared: true,
}).rows;

/** One webhook of a wallet; null for an unknown id and for that of another wallet. */
export const webhookOf = statement({
  name: "webhook-of",
  params: { webhookId: t.text, owner: t.text },
  text: `select ${WEBHOOK} from offchain.webhook w where w.webhook_id = $webhookId and w.owner = $owner`,
  columns: WEBHOOK_COLUMNS,
  prepared: true,
}).maybeOne;

/** Locks a webhook of a wallet for a change. @returns whether the wallet has it */
export const lockWebhook = statement({
  name: "webhook-lock",
  params: { webhookId: t.text, owner: t.text },
  text: "select from offchain.webhook where webhook_id = $webhookId and owner = $owner for no key update",
}).found;

/** Deletes a webhook with its secrets and its deliveries. @returns false when the wallet has no such webhook */
export async function deleteWebhook(db: Queryable, owner: Address, webhookId: string): Promise<boolean> {
  const { rowCount } = await orm(db)
    .delete(webhookTable)
    .where(and(eq(webhookTable.webhookId, webhookId), eq(webhookTable.owner, owner)));
  return rowCount === 1;
}

/** Enables a webhook: its pending deliveries are due, and those of missed events follow. No change for an enabled one. */
export async function enableWebhook(
  db: pg.Pool,
  owner: Address,
  webhookId: string,
  now: Date,
): Promise<Webhook | null> {
  return transaction(db, async (tx) => {
    const enabled = await ENABLE.maybeOne(tx, { webhookId, owner });
    if (!enabled) return null;
    await scheduleOwners(tx, { webhookIds: [webhookId], now });
    await wakeWebhooks(tx);
    return enabled;
  });
}

const ENABLE = statement({
  name: "webhook-enable",
  params: { webhookId: t.text, owner: t.text },
  text: `
    update offchain.webhook w set disabled_at = null, disabled_reason = null, failures = 0, failing_since = null,
      paused_until = null
    where w.webhook_id = $webhookId and w.owner = $owner returning ${WEBHOOK}`,
  columns: WEBHOOK_COLUMNS,
});

/** Locks a webhook and reads its health, for a change; null when it was deleted. */
export const lockHealth = statement({
  name: "webhook-lock-health",
  params: { webhookId: t.text },
  text: `
    select ${t.fieldsOf(HEALTH, { as: { pool: "lane" } })}, disabled_at as "disabledAt"
    from offchain.webhook where webhook_id = $webhookId for no key update`,
  columns: { ...HEALTH, disabledAt: t.nullable(t.timestamptz) },
  prepared: true,
}).maybeOne;

export const storeHealth = statement({
  name: "webhook-store-health",
  params: { webhookId: t.text, ...HEALTH },
  text: `
    update offchain.webhook set failures = $failures, failing_since = $failingSince, paused_until = $pausedUntil,
      lane = $pool, slow_until = $slowUntil
    where webhook_id = $webhookId`,
  prepared: true,
}).run;

/** Resets the failures of a receiver that accepts deliveries again; writes only when there are some. */
export const resetFailures = statement({
  name: "webhook-reset-failures",
  params: { webhookId: t.text },
  text: `
    update offchain.webhook set failures = 0, failing_since = null, paused_until = null
    where webhook_id = $webhookId and failures > 0`,
  prepared: true,
}).run;

/**
 * Disables a webhook. Its position in the log is stored: enabled again, it continues from there. While a part of the log is
 * handed out, the webhooks up to `handed_to` have it and are at its end, `through`.
 */
export const disableWebhook = statement({
  name: "webhook-disable",
  params: { webhookId: t.text, now: t.timestamptz, reason: t.narrow<DisabledReason>(t.text) },
  text: `
    update offchain.webhook w set disabled_at = $now, disabled_reason = $reason, own_position = coalesce(w.own_position,
      (select case when w.webhook_id <= c.handed_to then c.through else c.position end from offchain.webhook_cursor c))
    where w.webhook_id = $webhookId`,
}).run;

/** Wakes the workers when the transaction commits. */
export const wakeWebhooks = statement({
  name: "webhook-wake",
  text: `select pg_notify('${WEBHOOKS_CHANNEL}', '')`,
  columns: { pg_notify: t.pgType<string>("void") },
}).run;
