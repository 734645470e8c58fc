/** Sealed secrets of webhooks: at most two of each are valid, the newest and for a time the one before it. */
import type { Address } from "../../core/facts.ts";
import type { Queryable } from "../transaction.ts";

export type SealedSecret = {
  webhookId: string;
  secretId: string;
  sealed: Buffer;
  createdAt: Date;
  /** When it stops signing; null for the newest. */
  expiresAt: Date | null;
};

const SECRET = `s.webhook_id as "webhookId", s.secret_id as "secretId", s.sealed, s.created_at as "createdAt",
  s.expires_at as "expiresAt"`;

export type NewSecret = Omit<SealedSecret, "expiresAt" | "sealed"> & {
  sealed: Uint8Array;
  /** Hash of the Idempotency-Key and the request that created it; null without a key. */
  request: string | null;
};

export async function insertSecret(tx: Queryable, secret: NewSecret): Promise<void> {
  await tx.query(
    `insert into offchain.webhook_secret (secret_id, webhook_id, sealed, created_at, request)
     values ($1, $2, $3, $4, $5)`,
    [secret.secretId, secret.webhookId, Buffer.from(secret.sealed), secret.createdAt, secret.request],
  );
}

/** Ends the newest secret at `expiresAt` and deletes the older ones, to make room for another. */
export async function retireSecrets(tx: Queryable, webhookId: string, expiresAt: Date): Promise<void> {
  await tx.query("delete from offchain.webhook_secret where webhook_id = $1 and expires_at is not null", [webhookId]);
  await tx.query("update offchain.webhook_secret set expires_at = $2 where webhook_id = $1", [webhookId, expiresAt]);
}

/** The secret that an earlier request of a wallet created; null when it does not exist any more. */
export async function secretByRequest(db: Queryable, owner: Address, request: string): Promise<SealedSecret | null> {
  const { rows } = await db.query<SealedSecret>(
    `select ${SECRET} from offchain.webhook_secret s join offchain.webhook w using (webhook_id)
     where s.request = $2 and w.owner = $1`,
    [owner, request],
  );
  return rows[0] ?? null;
}

/** The valid secrets by webhook, the newest first. */
export async function signingSecrets(
  db: Queryable,
  webhookIds: readonly string[],
  now: Date,
): Promise<Map<string, SealedSecret[]>> {
  const { rows } = await db.query<SealedSecret>({
    name: "webhook-signing-secrets",
    text: `
      select ${SECRET} from offchain.webhook_secret s
      where s.webhook_id = any($1) and (s.expires_at is null or s.expires_at > $2)
      order by s.expires_at desc nulls first`,
    values: [webhookIds, now],
  });
  return Map.groupBy(rows, ({ webhookId }) => webhookId);
}

/** Secrets per statement of a reseal. */
const RESEAL_SIZE = 200;

/**
 * Replaces the sealed bytes of secrets.
 * @param reseal the bytes to store instead; null to leave them
 * @returns number of replaced ones
 */
export async function resealSecrets(
  db: Queryable,
  reseal: (secret: SealedSecret) => Uint8Array | null,
): Promise<number> {
  let changed = 0;
  for (let after = ""; ; ) {
    const { rows } = await db.query<SealedSecret>(
      `select ${SECRET} from offchain.webhook_secret s where s.secret_id > $1 order by s.secret_id limit ${RESEAL_SIZE}`,
      [after],
    );
    for (const secret of rows) {
      const sealed = reseal(secret);
      if (sealed === null) continue;
      await db.query("update offchain.webhook_secret set sealed = $2 where secret_id = $1", [
        secret.secretId,
        Buffer.from(sealed),
      ]);
      changed++;
    }
    if (rows.length < RESEAL_SIZE) return changed;
    after = rows.at(-1)!.secretId;
  }
}

/** Deletes expired secrets. @returns their number */
export async function deleteExpiredSecrets(db: Queryable, now: Date): Promise<number> {
  const { rowCount } = await db.query("delete from offchain.webhook_secret where expires_at <= $1", [now]);
  return rowCount ?? 0;
}
