/** Sealed secrets of webhooks: at most two of each are valid, the newest and for a time the one before it. */
import { and, eq, isNotNull, lte } from "drizzle-orm";
import type { Address } from "../../core/agents/facts.ts";
import { webhookSecret } from "../schema/webhooks.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

export type SealedSecret = t.RowOf<typeof SECRET_COLUMNS>;

const SECRET_COLUMNS = columnsOf(webhookSecret, { without: ["request"] });
const SECRET = t.fieldsOf(SECRET_COLUMNS, { of: "s" });

export type NewSecret = Omit<SealedSecret, "expiresAt" | "sealed"> & {
  sealed: Uint8Array;
  /** Hash of the Idempotency-Key and the request that created it; null without a key. */
  request: string | null;
};

export async function insertSecret(tx: Queryable, secret: NewSecret): Promise<void> {
  await orm(tx)
    .insert(webhookSecret)
    .values({ ...secret, sealed: Buffer.from(secret.sealed) });
}

/** Ends the newest secret at `expiresAt` and deletes the older ones, to make room for another. */
export async function retireSecrets(tx: Queryable, webhookId: string, expiresAt: Date): Promise<void> {
  const ofWebhook = eq(webhookSecret.webhookId, webhookId);
  await orm(tx)
    .delete(webhookSecret)
    .where(and(ofWebhook, isNotNull(webhookSecret.expiresAt)));
  await orm(tx).update(webhookSecret).set({ expiresAt }).where(ofWebhook);
}

/** The secret that an earlier request of a wallet created; null when it does not exist any more. */
export const secretByRequest = statement({
  name: "webhook-secret-by-request",
  params: { owner: t.narrow<Address>(t.text), request: t.text },
  text: `
    select ${SECRET} from offchain.webhook_secret s join offchain.webhook w using (webhook_id)
    where s.request = $request and w.owner = $owner`,
  columns: SECRET_COLUMNS,
}).maybeOne;

/** The valid secrets by webhook, the newest first. */
export async function signingSecrets(
  db: Queryable,
  webhookIds: readonly string[],
  now: Date,
): Promise<Map<string, SealedSecret[]>> {
  return Map.groupBy(await SIGNING.rows(db, { webhookIds, now }), ({ webhookId }) => webhookId);
}

const SIGNING = statement({
  name: "webhook-signing-secrets",
  params: { webhookIds: t.array(t.text), now: t.timestamptz },
  text: `
    select ${SECRET} from offchain.webhook_secret s
    where s.webhook_id = any($webhookIds) and (s.expires_at is null or s.expires_at > $now)
    order by s.expires_at desc nulls first`,
  columns: SECRET_COLUMNS,
  prepared: true,
});

const RESEAL_SIZE = 200;

/**
 * Replaces the sealed bytes of secrets.
 * Check then write: key, age and not pending, then update or delete (so `trimLogs` and `deleteOldDeliveries` of
 * deliveries.ts); it may be rotated or replayed: sealing keeps the secret, and the delete repeats the state.
 * One item: a secret whose key is gone stays as it is; the log names it, and the others are sealed.
 * @param reseal the bytes to store instead; null to leave them
 * @returns number of replaced ones
 */
export async function resealSecrets(
  db: Queryable,
  reseal: (secret: SealedSecret) => Uint8Array | null,
): Promise<number> {
  let changed = 0;
  for (let after = ""; ; ) {
    const rows = await AFTER.rows(db, { after });
    for (const secret of rows) {
      const sealed = reseal(secret);
      if (sealed === null) continue;
      await orm(db)
        .update(webhookSecret)
        .set({ sealed: Buffer.from(sealed) })
        .where(eq(webhookSecret.secretId, secret.secretId));
      changed++;
    }
    if (rows.length < RESEAL_SIZE) return changed;
    after = rows.at(-1)!.secretId;
  }
}

const AFTER = statement({
  name: "webhook-secrets-after",
  params: { after: t.text },
  text: `
    select ${SECRET} from offchain.webhook_secret s where s.secret_id > $after order by s.secret_id limit ${RESEAL_SIZE}`,
  columns: SECRET_COLUMNS,
});

/** Deletes expired secrets. @returns their number */
export async function deleteExpiredSecrets(db: Queryable, now: Date): Promise<number> {
  const { rowCount } = await orm(db).delete(webhookSecret).where(lte(webhookSecret.expiresAt, now));
  return rowCount ?? 0;
}
