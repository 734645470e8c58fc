/** API keys: their hashes, never the keys. */
import type { Queryable } from "./transaction.ts";

/** What a key opens: reports of sessions; more reads; the board of the queues to look at; the same, to act on. */
export const KEY_SCOPES = ["sessions:write", "read", "queues:read", "queues:write"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Names of scopes that keys were given before. */
const FORMER: Record<string, KeyScope> = {
  sessions: "sessions:write",
  "queues-read": "queues:read",
  "queues-write": "queues:write",
};

/** A scope by its name, or by one it had before. */
export const keyScope = (name: string): KeyScope | undefined =>
  KEY_SCOPES.find((scope) => scope === name) ?? (Object.hasOwn(FORMER, name) ? FORMER[name] : undefined);

export type ApiKey = {
  id: string;
  /** Whom it was given to. */
  name: string;
  scopes: KeyScope[];
  /** With scope `read`; null for the configured number. */
  readsPerMinute: number | null;
  createdAt: Date;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
};

const COLUMNS = `id, name, scope, reads_per_minute as "readsPerMinute", created_at as "createdAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

/** A name that is none opens nothing. */
function toKey<Row extends { scope: string }>({ scope, ...row }: Row) {
  return { ...row, scopes: scope.split(" ").flatMap((name) => keyScope(name) ?? []) };
}

/** A key by its id, revoked or not; null when there is none. `hash` is the SHA-256 of the whole key. */
export async function apiKey(db: Queryable, id: string): Promise<(ApiKey & { hash: Buffer }) | null> {
  const { rows } = await db.query({
    name: "api-key",
    text: `select ${COLUMNS}, hash from offchain.api_key where id = $1`,
    values: [id],
  });
  return rows[0] ? (toKey(rows[0]) as unknown as ApiKey & { hash: Buffer }) : null;
}

/** Every key, the oldest first. */
export async function apiKeys(db: Queryable): Promise<ApiKey[]> {
  const { rows } = await db.query(`select ${COLUMNS} from offchain.api_key order by created_at, id`);
  return rows.map(toKey) as unknown as ApiKey[];
}

export async function insertApiKey(
  db: Queryable,
  key: { id: string; name: string; hash: Uint8Array; scopes?: KeyScope[]; readsPerMinute?: number | null },
): Promise<void> {
  await db.query("insert into offchain.api_key (id, name, hash, scope, reads_per_minute) values ($1, $2, $3, $4, $5)", [
    ...[key.id, key.name, Buffer.from(key.hash)],
    (key.scopes ?? ["sessions:write"]).join(" "),
    key.readsPerMinute ?? null,
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
