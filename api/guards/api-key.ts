/** Lets the holder of an API key in. */
import { timingSafeEqual } from "node:crypto";
import { apiKeyHash, apiKeyId } from "../../core/api-keys.ts";
import { fail } from "../../core/errors.ts";
import { apiKey, noteUse } from "../../db/api-keys.ts";
import type { Queryable } from "../../db/transaction.ts";
import type { KeyCaller } from "../endpoint.ts";

/**
 * The holder of the key in `X-API-Key`.
 * @throws Failure unauthenticated for a missing, unknown or revoked key, or one of another scope; which of them, it does not say
 */
export async function requireApiKey(
  db: Queryable,
  header: string | string[] | undefined,
  now: Date,
): Promise<KeyCaller> {
  const refuse = (sentence: string) =>
    fail("unauthenticated", sentence, {
      hint: "X-API-Key: the key that the operator of the service gave you",
      headers: { "www-authenticate": 'ApiKey realm="X-API-Key"' },
    });
  if (header === undefined) return refuse("This operation needs an API key.");
  const key = String(header).trim();
  const id = apiKeyId(key);
  const known = id === null ? null : await apiKey(db, id);
  const opens = known?.scope === "sessions" && !known.revokedAt;
  if (!known || !timingSafeEqual(apiKeyHash(key), known.hash) || !opens) return refuse("The API key is not valid.");
  await noteUse(db, known.id, now);
  return { kind: "apiKey", apiKeyId: known.id };
}
