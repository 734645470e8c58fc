/** API keys: their hashes, never the keys. */
import type { Queryable } from "./transaction.ts";

/** What a key opens: reports of sessions; the board of the queues to look at; the same, to act on. */
export const KEY_SCOPES = ["sessions", "queues-read", "queues-write"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export type ApiKey = {
  id: string;
  /** Whom it was given to. */
  name: string;
  scope: KeyScope;
  createdAt: Date;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
};

const COLUMNS = `id, name, scope, created_at as "createdAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

/** A key by its id, revoked or not; null when there is none. `hash` is the SHA-256 of the whole key. */
export async function apiKey(db: Queryable, id: string): Promise<(ApiKey & { hash: Buffer }) | null> {
  const { rows } = await db.query({
    name: "api-key",
    text: `select ${COLUMNS}, hash from offchain.api_key where id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Every key, the oldest first. */
export async function apiKeys(db: Queryable): Promise<ApiKey[]> {
  const { rows } = await db.query(`select ${COLUMNS} from offchain.api_key order by created_at, id`);
  return rows;
}

export async function insertApiKey(
  db: Queryable,
  key: { id: string; name: string; hash: Uint8Array; scope?: KeyScope },
): Promise<void> {
  await db.query("insert into offchain.api_key (id, name, hash, scope) values ($1, $2, $3, $4)", [
    key.id,
    key.name,
    Buffer.from(key.hash),
    key.scope ?? "sessions",
  ]);
}

/** Ends a key; it stays ended. @returns false when there is no such key */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "update offchain.api_key set revoked_at = coalesce(revoked_at, now()) where id = $1",
    [id],
  );
  return rowCount === 1;
}

/** Notes that a key was used, at most once a minute. */
export async function noteUse(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query({
    name: "api-key-use",
    text: `update offchain.api_key set last_used_at = $2
           where id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')`,
    values: [id, now],
  });
}
