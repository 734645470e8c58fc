/** Errors as types: refusals of the service, lost connections, ended streams. */

import type { components } from "./openapi.ts";

/** Codes of the service's errors; a newer service may know more. */
export const ERROR_CODES = [
  "invalid_input",
  "unauthenticated",
  "payment_required",
  "forbidden",
  "not_found",
  "no_epoch",
  "not_in_epoch",
  "epoch_pruned",
  "method_not_allowed",
  "conflict",
  "already_registered",
  "request_in_progress",
  "payment_already_used",
  "gone",
  "payload_too_large",
  "unsupported_media_type",
  "range_not_satisfiable",
  "proof_missing",
  "idempotency_key_reused",
  "rate_limited",
  "internal",
  "upstream_unavailable",
  "indexer_behind",
  "payment_pending",
  "overloaded",
  "out_of_funds",
  "timeout",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Headers that carried a payment: the same request with these is never charged again. */
export type SentPayment = Readonly<Record<string, string>>;

/** The service or a proxy before it refused. The message is a plain sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Stable word; `unexpected_answer` when the answer has none, as a proxy's. */
  readonly code: ErrorCode | "unexpected_answer" | (string & {});
  /** Names the request in the service's log. */
  readonly requestId: string | null;
  /** What is wrong with which part of the input. */
  readonly details: readonly { path: string; message: string }[];
  /** What can be done about it. */
  readonly hint: string | null;
  /** Milliseconds after which another attempt makes sense. */
  readonly retryAfterMs: number | null;
  /** The whole body, with members that only this error has: `required`, `yours`, `tokenId`, `accepts`, … */
  readonly body: unknown;
  /** The headers of the request's payment, if any: repeat the request with these, never with a new payment. */
  readonly payment: SentPayment | null;

  /** @param body of the answer, parsed where it is JSON @param now milliseconds, for a Retry-After that is a date */
  constructor(
    response: { status: number; headers: Headers },
    body: unknown,
    { payment = null, now }: { payment?: SentPayment | null; now: number },
  ) {
    const said = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    const expected = typeof said.code === "string" && typeof said.error === "string";
    super(expected ? String(said.error) : `The answer was ${response.status} and not the service's own.`);
    this.status = response.status;
    this.code = expected ? String(said.code) : "unexpected_answer";
    this.requestId = typeof said.requestId === "string" ? said.requestId : response.headers.get("x-request-id");
    this.details = Array.isArray(said.details) ? said.details : [];
    this.hint = typeof said.hint === "string" ? said.hint : null;
    this.retryAfterMs = retryAfterMs(response.headers, now);
    this.body = body;
    this.payment = payment;
  }
}

/** There was no answer; the request may have been carried out. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The headers of the request's payment, if any: repeat the request with these, never with a new payment. */
  readonly payment: SentPayment | null;

  constructor(cause: unknown, payment: SentPayment | null = null) {
    super(`There was no answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.payment = payment;
  }
}

/** The service ended a stream permanently: `reason` is `forbidden` when the right to read it has ended. */
export class StreamEnded extends Error {
  override readonly name = "StreamEnded";
  readonly reason: string;
  /** Data of the stream's last event. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(body: Readonly<Record<string, unknown>>) {
    super(typeof body.error === "string" ? body.error : "The service ended the stream.");
    this.reason = String(body.reason);
    this.body = body;
  }
}

/** Events were missed: they are kept no longer. Resume after `resumedAfter`, once you have read the current state. */
export class StreamGap extends Error {
  override readonly name = "StreamGap";
  readonly after: number;
  readonly resumedAfter: number;

  constructor(gap: { after: number; resumedAfter: number; error: string }) {
    super(gap.error);
    this.after = gap.after;
    this.resumedAfter = gap.resumedAfter;
  }
}

/** The chain refused a registration. */
export class RegistrationFailed extends Error {
  override readonly name = "RegistrationFailed";
  readonly mintId: string;

  constructor(mintId: string, reason: string) {
    super(`The chain refused the registration: ${reason}`);
    this.mintId = mintId;
  }
}

/** The chain has not decided within the given time. Register with the same `idempotencyKey` to go on waiting. */
export class RegistrationPending extends Error {
  override readonly name = "RegistrationPending";
  readonly mintId: string;
  readonly idempotencyKey: string;

  constructor(mintId: string, idempotencyKey: string) {
    super("The registration is accepted, and the chain has not decided yet.");
    this.mintId = mintId;
    this.idempotencyKey = idempotencyKey;
  }
}

/** Nothing was paid: the verdict before the payment is not `allow`, or is none that can be trusted. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
  /** The verdict (`deny`, `review`, `unrated`), or why it cannot be trusted (`PreflightRefusal`). */
  readonly reason: string;
  /** The answer of the service: reasons and evidence. */
  readonly preflight: components["schemas"]["Preflight"];

  constructor(reason: string, says: string, preflight: components["schemas"]["Preflight"]) {
    super(`Not paid (${reason}): ${says}`);
    this.reason = reason;
    this.preflight = preflight;
  }
}

/** Retry-After in milliseconds: seconds or a date (RFC 9110, section 10.2.3); null when there is none to be read. */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after")?.trim();
  if (!value) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
