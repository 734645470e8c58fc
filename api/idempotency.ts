/** Idempotency-Key: one request, one effect, one answer (draft-ietf-httpapi-idempotency-key-header). */
import { type ErrorCode, Failure, fail } from "../core/errors.ts";
import {
  claim,
  finish,
  type IdempotencyClaim,
  type IdempotencyOutcome,
  release,
  renew,
  type StoredAnswer,
} from "../db/callers/idempotency.ts";
import type { ApiDeps } from "./deps.ts";
import { errorAnswer } from "./http/error-answer.ts";
import type { Reply } from "./reply.ts";

/** Milliseconds a claim lasts without renewal; a retry after a crash waits at most this long. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;

/**
 * The key of a request; undefined when it has none.
 * @throws Failure invalid_input unless it is 1 to 255 printable ASCII characters
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key))
    fail("invalid_input", "The Idempotency-Key must be 1 to 255 printable characters.", {
      details: [{ path: "Idempotency-Key", message: "must be 1 to 255 printable characters" }],
    });
  return key;
}

/** Whether an answer with a body of this many characters may be stored. Never throws. */
export type MayKeep = (length: number) => Promise<boolean>;

/** Refusals that a retry may not meet: they are not stored, so that the retry runs. */
const PASSING = new Set<ErrorCode>([
  "payment_required",
  "payment_already_used",
  "proof_missing",
  "rate_limited",
  "request_in_progress",
]);

/**
 * Runs `handle` unless this request has been answered before under its key. Answers below 500 are stored for a day,
 * also refusals, unless a retry may have another outcome.
 * Check then write: the key is free, then the work and `finish`; the lease may run out: (scope, key) is unique, the
 * claim's time fences `renew`, `finish` and `release`, and handlers are repeatable.
 * @param request.mayKeep decides before an answer is stored, so that no client can fill the table. A request whose
 *   answer is not stored runs again; handlers are repeatable
 * @throws Failure idempotency_key_reused, request_in_progress, and the errors of `handle`
 */
export async function once(
  { db, log, fault }: ApiDeps,
  request: { scope: string; key: string; fingerprint: string; requestId: string; mayKeep: MayKeep },
  handle: () => Promise<Reply>,
): Promise<Reply> {
  const found = await claim(db, { ...request, leaseMs: LEASE_MS });
  switch (found.kind) {
    case "done":
      return {
        status: found.status,
        type: found.headers["content-type"] ?? "application/json; charset=utf-8",
        content: found.body,
        headers: { ...found.headers, "Idempotent-Replayed": "true" },
      };
    case "other":
      return fail("idempotency_key_reused", "This Idempotency-Key was used for a different request.", {
        hint: "Use a new key for a new request.",
      });
    case "running":
      return fail("request_in_progress", "A request with this Idempotency-Key is being worked on.", {
        retryAfter: found.retryAfterSeconds,
      });
    case "claimed":
      return run(found);
  }

  async function run({ claim }: Extract<IdempotencyOutcome, { kind: "claimed" }>): Promise<Reply> {
    fault("idempotency.claimed");
    const beat = setInterval(() => void renew(db, { ...claim, leaseMs: LEASE_MS }).catch(() => {}), RENEW_MS);
    try {
      const reply = await handle();
      fault("idempotency.handled");
      if (reply.final === false || typeof reply.content !== "string") await release(db, claim);
      else {
        const headers = { ...reply.headers, "content-type": reply.type };
        await keep(claim, { status: reply.status, headers, body: reply.content });
      }
      fault("idempotency.finished");
      return reply;
    } catch (error) {
      // A claim that can be neither finished nor released is taken over after its lease has expired.
      await settle(claim, error).catch((err) => log.warn({ err }, "an idempotency key could not be settled"));
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  async function keep(claim: IdempotencyClaim, answer: StoredAnswer): Promise<void> {
    if (await request.mayKeep(answer.body.length)) await finish(db, { ...claim, ...answer });
    else await release(db, claim);
  }

  async function settle(claim: IdempotencyClaim, error: unknown): Promise<void> {
    if (!(error instanceof Failure) || error.status >= 500 || PASSING.has(error.code)) await release(db, claim);
    else await keep(claim, errorAnswer(error, request.requestId));
  }
}
