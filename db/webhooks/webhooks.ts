/** Webhooks: owner, URL, subscription, health, and whether they are enabled. */
import type pg from "pg";
import type { Address } from "../../core/facts.ts";
import type { DisabledReason, ReceiverHealth } from "../../core/webhooks/attempts.ts";
import type { PoolState } from "../../core/webhooks/pools.ts";
import type { Subscription, Webhook } from "../../core/webhooks/webhook.ts";
import { ADVISORY_LOCKS } from "../locks.ts";
import { type Queryable, transaction } from "../transaction.ts";
import { scheduleOwners } from "./owner-schedule.ts";

/** NOTIFY channel that wakes the workers for deliveries that no event announces. */
export const WEBHOOKS_CHANNEL = "webhooks";

/** Columns of the webhook `w` in the shape of `Webhook`. */
export const WEBHOOK = `
  w.webhook_id as "webhookId", w.owner, w.url, w.events, w.token_ids::float8[] as "tokenIds", w.addresses, w.owners,
  w.finality, w.created_at as "createdAt", w.disabled_at as "disabledAt",
  w.disabled_reason as "disabledReason", w.lane as pool, w.slow_until as "slowUntil", w.failures, w.failing_since as "failingSince", w.paused_until as "pausedUntil"`;

export type NewWebhook = Subscription &
  Pick<Webhook, "webhookId" | "owner" | "url" | "createdAt"> & {
    /** Keyed hash of the client network that creates it. */
    network: string | null;
    /** Until then its owner counts as slow, and so does the webhook. */
    slowUntil: Date | null;
  };

/** Adds a webhook that receives events after `fromPosition`. */
export async function insertWebhook(tx: Queryable, webhook: NewWebhook, fromPosition: number): Promise<void> {
  await tx.query(
    `insert into offchain.webhook
       (webhook_id, owner, url, events, token_ids, addresses, owners, finality, created_at, from_position, network, lane,
        slow_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      webhook.webhookId,
      webhook.owner,
      webhook.url,
      webhook.events,
      webhook.tokenIds,
      webhook.addresses,
      webhook.owners,
      webhook.finality,
      webhook.createdAt,
      fromPosition,
      webhook.network,
      webhook.slowUntil ? "slow" : "new",
      webhook.slowUntil,
    ],
  );
}

/** Advisory lock for changes of the number of webhooks. */
const COUNTS_LOCK = ADVISORY_LOCKS.webhookCounts;

/** Lets one transaction at a time create webhooks: their number is counted under this lock. */
export async function lockWebhookCounts(tx: Queryable): Promise<void> {
  await tx.query("select pg_advisory_xact_lock($1)", [COUNTS_LOCK]);
}

/** Number of webhooks: of a wallet, of a network under any of its hashes, and in total. */
export async function countWebhooks(
  tx: Queryable,
  { owner, networks }: { owner: Address; networks: readonly string[] },
): Promise<{ ofOwner: number; ofNetwork: number; all: number }> {
  const { rows } = await tx.query({
    name: "webhook-counts",
    text: `
      select (select count(*)::int from offchain.webhook where owner = $1) as "ofOwner",
        (select count(*)::int from offchain.webhook where network = any($2)) as "ofNetwork",
        (select count(*)::int from offchain.webhook) as "all"`,
    values: [owner, networks],
  });
  return rows[0];
}

/** A wallet's webhooks, the oldest first. */
export async function webhooksOf(db: Queryable, owner: Address): Promise<Webhook[]> {
  const { rows } = await db.query<Webhook>({
    name: "webhooks-of",
    text: `select ${WEBHOOK} from offchain.webhook w where w.owner = $1 order by w.created_at, w.webhook_id`,
    values: [owner],
  });
  return rows;
}

/** One webhook of a wallet; null for an unknown id and for that of another wallet. */
export async function webhookOf(db: Queryable, owner: Address, webhookId: string): Promise<Webhook | null> {
  const { rows } = await db.query<Webhook>({
    name: "webhook-of",
    text: `select ${WEBHOOK} from offchain.webhook w where w.webhook_id = $1 and w.owner = $2`,
    values: [webhookId, owner],
  });
  return rows[0] ?? null;
}

/** Locks a webhook of a wallet for a change. @returns whether the wallet has it */
export async function lockWebhook(tx: Queryable, owner: Address, webhookId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from offchain.webhook where webhook_id = $1 and owner = $2 for no key update",
    [webhookId, owner],
  );
  return rowCount === 1;
}

/** Deletes a webhook with its secrets and its deliveries. @returns false when the wallet has no such webhook */
export async function deleteWebhook(db: Queryable, owner: Address, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.query("delete from offchain.webhook where webhook_id = $1 and owner = $2", [
    webhookId,
    owner,
  ]);
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
    const { rows } = await tx.query<Webhook>(
      `update offchain.webhook w set disabled_at = null, disabled_reason = null, failures = 0, failing_since = null,
         paused_until = null
       where w.webhook_id = $1 and w.owner = $2 returning ${WEBHOOK}`,
      [webhookId, owner],
    );
    if (!rows[0]) return null;
    await scheduleOwners(tx, [webhookId], now);
    await wakeWebhooks(tx);
    return rows[0];
  });
}

/** Locks a webhook and reads its health, for a change; null when it was deleted. */
export async function lockHealth(
  tx: Queryable,
  webhookId: string,
): Promise<(ReceiverHealth & PoolState & Pick<Webhook, "disabledAt">) | null> {
  const { rows } = await tx.query({
    name: "webhook-lock-health",
    text: `
      select failures, failing_since as "failingSince", paused_until as "pausedUntil", disabled_at as "disabledAt",
        lane as pool, slow_until as "slowUntil"
      from offchain.webhook where webhook_id = $1 for no key update`,
    values: [webhookId],
  });
  return rows[0] ?? null;
}

export async function storeHealth(
  tx: Queryable,
  webhookId: string,
  { failures, failingSince, pausedUntil, pool, slowUntil }: ReceiverHealth & PoolState,
): Promise<void> {
  await tx.query({
    name: "webhook-store-health",
    text: `
      update offchain.webhook set failures = $2, failing_since = $3, paused_until = $4, lane = $5, slow_until = $6
      where webhook_id = $1`,
    values: [webhookId, failures, failingSince, pausedUntil, pool, slowUntil],
  });
}

/** Resets the failures of a receiver that accepts deliveries again; writes only when there are some. */
export async function resetFailures(db: Queryable, webhookId: string): Promise<void> {
  await db.query({
    name: "webhook-forget-failures",
    text: `
      update offchain.webhook set failures = 0, failing_since = null, paused_until = null
      where webhook_id = $1 and failures > 0`,
    values: [webhookId],
  });
}

/** Disables a webhook. Its position in the log is stored: enabled again, it continues from there. */
export async function disableWebhook(
  tx: Queryable,
  webhookId: string,
  reason: DisabledReason,
  now: Date,
): Promise<void> {
  await tx.query(
    `update offchain.webhook w set disabled_at = $2, disabled_reason = $3, own_position = coalesce(w.own_position,
       (select case when w.webhook_id <= c.handed_to then c.through else c.position end from offchain.webhook_cursor c))
     where w.webhook_id = $1`,
    [webhookId, now, reason],
  );
}

export async function wakeWebhooks(db: Queryable): Promise<void> {
  await db.query("select pg_notify($1, '')", [WEBHOOKS_CHANNEL]);
}
