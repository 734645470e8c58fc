/**
 * Authenticates the holder of an API key.
 * Check then write: the key is good, then `last_used_at`; it may be revoked: the write grants nothing, and a read
 * budget lasts 5 s more.
 */
import { timingSafeEqual } from "node:crypto";
import { apiKeyHash, apiKeyId } from "../../core/callers/api-keys.ts";
import { Failure, fail } from "../../core/errors.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { type ApiKey, apiKey, type KeyScope, recordUse } from "../../db/callers/api-keys.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { KeyCaller } from "../caller-types.ts";
import type { ReadingKey, SignInAttempt } from "./rate-limits.ts";

type Header = string | string[] | undefined;
type KeyAttempt = Pick<SignInAttempt, "begin">;

/**
 * The holder of the key in `X-API-Key`.
 * @param attempt counted before the database is queried
 * @throws Failure unauthenticated for a missing, unknown or revoked key, or one of another scope; the answer does not
 *   say which
 */
export async function requireApiKey(
  db: Queryable,
  header: Header,
  scope: KeyScope,
  attempt: KeyAttempt,
  now: Date,
): Promise<KeyCaller> {
  if (header === undefined) return refuse("This operation needs an API key.");
  const key = await goodKey(db, header, attempt);
  if (!key.scopes.includes(scope)) return refuse(NOT_VALID);
  await recordUse(db, { id: key.id, now });
  return { kind: "apiKey", apiKeyId: key.id };
}

const NOT_VALID = "The API key is not valid.";

function refuse(sentence: string): never {
  return fail("unauthenticated", sentence, {
    hint: "X-API-Key: the key that the operator of the service gave you",
    headers: { "www-authenticate": 'ApiKey realm="X-API-Key"' },
  });
}

async function goodKey(db: Queryable, header: Header, attempt: KeyAttempt): Promise<ApiKey> {
  const key = String(header).trim();
  const id = apiKeyId(key);
  if (id === null) return refuse(NOT_VALID);
  await attempt.begin();
  const known = await apiKey(db, id);
  if (!known || !timingSafeEqual(apiKeyHash(key), known.hash) || known.revokedAt) return refuse(NOT_VALID);
  return known;
}

/** Milliseconds for which a checked key is cached on reads, where it grants a larger budget and nothing else. */
const KEY_CACHE_MS = 5_000;

export type ReadingKeys = ReturnType<typeof readingKeys>;

/** API keys sent with reads: a key of scope `read` has a budget of its own. */
export function readingKeys(db: Queryable) {
  const good = expiringCache<ReadingKey | null>(10_000);
  return {
    /**
     * The key of a read as checked within the last seconds by this process: null for a valid key without scope `read`,
     * undefined for one that has to be checked.
     */
    known: (header: Header, now: number) => good.get(String(header), now),
    /**
     * Checks the key of a read.
     * @returns null for a valid key without scope `read`, and while the database cannot be reached: then the network's
     *   budget counts
     * @throws Failure unauthenticated for a key that is not valid, rate_limited
     */
    async check(header: Header, attempt: KeyAttempt, now: number): Promise<ReadingKey | null> {
      const key = await goodKey(db, header, attempt).catch((error) => {
        if (error instanceof Failure) throw error;
        return null;
      });
      if (key === null) return null;
      const { id, readsPerMinute } = key;
      const reads: ReadingKey | null = key.scopes.includes("read")
        ? { kind: "apiKey", apiKeyId: id, readsPerMinute }
        : null;
      good.set(String(header), reads, now + KEY_CACHE_MS);
      if (reads) await recordUse(db, { id, now: new Date(now) }).catch(() => {});
      return reads;
    },
  };
}
