/** The error type of all code below the HTTP layer, and the table from error code to HTTP status. */

import { checksum } from "./addresses.ts";
import type { AgentRef } from "./agents/facts.ts";

/** code → HTTP status (api-contract: conventions). */
export const STATUS = {
  invalid_input: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  no_epoch: 404,
  not_in_epoch: 404,
  epoch_pruned: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_registered: 409,
  request_in_progress: 409,
  payment_already_used: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  proof_missing: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal: 500,
  upstream_unavailable: 503,
  indexer_behind: 503,
  payment_pending: 503,
  overloaded: 503,
  out_of_funds: 503,
  timeout: 504,
} as const;

export type ErrorCode = keyof typeof STATUS;

export type FailOptions = {
  /** Problems by field, for invalid input. */
  details?: { path: string; message: string }[];
  /** Advice for the caller. */
  hint?: string;
  /** Seconds for the header Retry-After. */
  retryAfter?: number;
  /** Further response headers. */
  headers?: Record<string, string>;
  /** Further members of the error body. */
  extra?: Record<string, unknown>;
  /** The agent that was not found: the chain may have it already, see api/handled.ts. */
  agent?: AgentRef;
  /** The underlying error; logged, never sent. */
  cause?: unknown;
};

/** An expected failure: `code` decides the status, `message` is a plain sentence that is safe to show to every caller. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly options: FailOptions;
  constructor(code: ErrorCode, message: string, options: FailOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
  get status(): number {
    return STATUS[this.code];
  }
}

/** Throws that there is no such agent. @throws Failure not_found */
export const failNoAgent = (agent: AgentRef): never =>
  fail(
    "not_found",
    "tokenId" in agent
      ? `There is no agent ${agent.tokenId}.`
      : `There is no agent with the wallet ${checksum(agent.address)}.`,
    { agent },
  );

/** Throws a Failure. Use it below the HTTP layer, which converts it once to an answer. */
export function fail(code: ErrorCode, message: string, options: FailOptions = {}): never {
  throw new Failure(code, message, options);
}
