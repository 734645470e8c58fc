/** The error type of all code below the HTTP layer. */
import { checksum } from "./addresses.ts";
import type { AgentRef } from "./agents/facts.ts";
import { type ErrorCode, STATUS } from "./error-codes.ts";

export type { ErrorCode };

export type FailOptions = {
  /** Problems by field, for invalid input. */
  details?: { path: string; message: string }[];
  /** Advice for the caller. */
  hint?: string;
  /** Seconds for the header Retry-After. */
  retryAfter?: number;
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
    {
      agent,
      hint: "GET /api/v2/search?q=<name or wallet> finds agents; GET /api/v2/agents lists them.",
    },
  );

/** Throws a Failure. Use it below the HTTP layer, which converts it once to an answer. */
export function fail(code: ErrorCode, message: string, options: FailOptions = {}): never {
  throw new Failure(code, message, options);
}
