/** Which operators may see the queues: holders of an API key whose scope says so. */
import { timingSafeEqual } from "node:crypto";
import { apiKeyHash, apiKeyId } from "../core/callers/api-keys.ts";
import { apiKey, recordUse } from "../db/callers/api-keys.ts";
import type { Queryable } from "../db/sql/transaction.ts";
import type { BoardAccess } from "./queue-board.ts";

export const boardAccess =
  (db: Queryable): BoardAccess =>
  async (key) => {
    const id = apiKeyId(key);
    const known = id === null ? null : await apiKey(db, id);
    if (!known || !timingSafeEqual(apiKeyHash(key), known.hash) || known.revokedAt) return null;
    const write = known.scopes.includes("queues:write");
    if (!write && !known.scopes.includes("queues:read")) return null;
    await recordUse(db, { id: known.id, now: new Date() });
    return write ? "write" : "read";
  };
