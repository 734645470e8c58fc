/** The one place where errors become answers: one body, one status table, no internals. */
import { type ErrorCode, type FailOptions, Failure } from "../../core/errors.ts";
import { TOO_MANY } from "../../db/sql/session-client.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { overloaded } from "../../db/sql/turns.ts";

/** The log; pino's shape. */
export type Log = Record<"debug" | "info" | "warn" | "error", (data: object, message: string) => void>;

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: string };

/** The JSON error body of the contract, with its headers. 4xx and 5xx alike are never cached. */
export function errorAnswer(failure: Failure, requestId: string): ErrorAnswer {
  const { details, hint, retryAfter, extra, headers: more } = failure.options;
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...more,
  };
  const wait = retryAfter ?? RETRY_AFTER[failure.code];
  if (wait !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(wait)));
  if (failure.code === "unauthenticated") headers["www-authenticate"] ??= 'Bearer realm="SIWA"';
  const body = { ...extra, error: failure.message, code: failure.code, requestId, details, hint };
  return { status: failure.status, headers, body: JSON.stringify(body) };
}

/** Seconds until a retry, for failures that do not name their own. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  rate_limited: 1,
  upstream_unavailable: 1,
  indexer_behind: 1,
  out_of_funds: 60,
  payment_pending: 5,
  timeout: 1,
};

/** Refusals that any client can cause at will: metrics count them, and the log does not show them at level warn. */
const REFUSALS = new Set<ErrorCode>(["overloaded", "indexer_behind"]);

/**
 * Turns anything thrown into a Failure. Failures pass; errors of the database are distinguished by SQLSTATE (PostgreSQL
 * manual, appendix A); anything else is `internal` and goes to the log with its stack.
 */
export function toFailure(error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof Failure) {
    if (error.status >= 500)
      log[REFUSALS.has(error.code) ? "debug" : "warn"](
        { requestId, code: error.code, err: error.cause },
        error.message,
      );
    return error;
  }
  const failure = fromDatabase(error);
  if (failure) {
    log[REFUSALS.has(failure.code) ? "debug" : "warn"]({ requestId, err: error }, failure.message);
    return failure;
  }
  log.error({ requestId, err: error }, "unexpected error");
  return new Failure("internal", "Something went wrong on our side. The request id helps us find it.");
}

const failure = (code: ErrorCode, message: string, options?: FailOptions) => new Failure(code, message, options);

/** Errors of the pg driver that carry no SQLSTATE: the connection was lost. */
const CONNECTION_WORDS = /connection terminated|client has/i;
/**
 * SQLSTATEs of an unavailable database: no connection, out of disk or memory, disk failure, shutdown, read-only.
 */
const AWAY_STATES = /^(08|53|58|57P0[1-5]|25006)/;
const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH"]);

function fromDatabase(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as { code?: unknown }).code;
  const state = typeof code === "string" ? code : "";
  if (state === TOO_MANY) return overloaded();
  const away =
    CONNECTION_CODES.has(state) ||
    AWAY_STATES.test(state) ||
    (state === "55000" && /not currently accepting connections/.test(error.message)) ||
    (state === "" && CONNECTION_WORDS.test(error.message)) ||
    (error instanceof AggregateError &&
      error.errors.some((e) => CONNECTION_CODES.has((e as { code?: string }).code ?? "")));
  if (away) return failure("upstream_unavailable", "The database is not available. Try again shortly.");
  // A plan or statement that the connection had prepared; it is not used again.
  if (state === "26000" || (state === "0A000" && /cached plan/.test(error.message)))
    return failure("upstream_unavailable", "The database has just changed. Try again shortly.");
  // A deadlock, of which this transaction is the victim; it was rolled back.
  if (state === "40P01") return failure("upstream_unavailable", "The database was busy. Try again shortly.");
  if (state === "57014" || /^Query read timeout/.test(error.message))
    return failure("timeout", "The request took too long.");
  if (isNoIndex(error)) return failure("indexer_behind", "The index is not ready yet.", { retryAfter: 5 });
  if (["22021", "22P02", "22P05", "22003", "22008"].includes(state))
    return failure("invalid_input", "A value of the request cannot be used.");
  return undefined;
}
