/** API keys: their hashes, never the keys. */
import { eq, getTableColumns, sql } from "drizzle-orm";
import { apiKey as apiKeyTable } from "../schema/service.ts";
import { orm, preparedQuery } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** What a key permits: reports of sessions, a higher read limit, queries of the index, reading the queues' board, acting on it, reading the state that operators see. */
export const KEY_SCOPES = [
  "sessions:write",
  "read",
  "index:read",
  "queues:read",
  "queues:write",
  "operator:read",
] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const keyScope = (name: string): KeyScope | undefined => KEY_SCOPES.find((scope) => scope === name);

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

/** A stored key. A scope's name that is not known opens nothing. */
function toKey<Row extends { scope: string }>({ scope, ...row }: Row) {
  return { ...row, scopes: scope.split(" ").flatMap((name) => keyScope(name) ?? []) };
}

const BY_ID = preparedQuery((db) =>
  db
    .select()
    .from(apiKeyTable)
    .where(eq(apiKeyTable.id, sql.placeholder("id")))
    .prepare("api-key"),
);

/** A key by its id, revoked or not; null when there is none. `hash` is the SHA-256 of the whole key. */
export async function apiKey(db: Queryable, id: string): Promise<(ApiKey & { hash: Uint8Array }) | null> {
  const [row] = await BY_ID(db).execute({ id });
  return row ? toKey(row) : null;
}

/** Every key, the oldest first. */
export async function apiKeys(db: Queryable): Promise<ApiKey[]> {
  const { hash, ...shown } = getTableColumns(apiKeyTable);
  const rows = await orm(db).select(shown).from(apiKeyTable).orderBy(apiKeyTable.createdAt, apiKeyTable.id);
  return rows.map(toKey);
}

export async function insertApiKey(
  db: Queryable,
  key: { id: string; name: string; hash: Uint8Array; scopes?: KeyScope[]; readsPerMinute?: number | null },
): Promise<void> {
  const { id, name, hash, scopes = ["sessions:write"], readsPerMinute = null } = key;
  await orm(db)
    .insert(apiKeyTable)
    .values({ id, name, hash, scope: scopes.join(" "), readsPerMinute });
}

/** Ends a key; it stays ended. @returns false when there is no such key */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await orm(db)
    .update(apiKeyTable)
    .set({ revokedAt: sql`coalesce(${apiKeyTable.revokedAt}, now())` })
    .where(eq(apiKeyTable.id, id));
  return rowCount === 1;
}

/** Notes that a key was used, at most once a minute. */
export const recordUse = statement({
  name: "api-key-use",
  params: { id: t.text, now: t.timestamptz },
  text: `
    update offchain.api_key set last_used_at = $now
    where id = $id and (last_used_at is null or last_used_at < $now::timestamptz - interval '1 minute')`,
  prepared: true,
}).run;
