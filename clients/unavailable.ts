/** The failure of an unavailable upstream: a sentence for the caller, and the reason for the log. */
import { Failure, fail } from "../core/errors.ts";
import type { ProofReader } from "./ports.ts";

/** Seconds after which to try again, when the upstream does not say. */
const PAUSE_SECONDS = 5;

type Why = { cause?: unknown; seconds?: number | null };

/** @param name common name of the upstream at the beginning of a sentence */
export const unavailableError = (name: string, why: Why = {}): Failure =>
  new Failure("upstream_unavailable", `${name} cannot be asked at the moment. Please try again later.`, {
    retryAfter: Math.max(1, why.seconds ?? PAUSE_SECONDS),
    cause: why.cause,
  });

/** @param name common name of the upstream at the beginning of a sentence */
export const unavailable = (name: string, why: Why = {}): never => {
  throw unavailableError(name, why);
};

/** Throws the failure of an upstream that is not configured. */
const notSetUp = (name: string): never =>
  fail("upstream_unavailable", `This service is not set up to ask ${name}.`, { retryAfter: 3600 });

/** The reader of a platform without configured keys: it always fails with this reason. */
export const unconfiguredProofs = (name: string): ProofReader<unknown> => ({
  find: async () => notSetUp(name),
  batch: 100,
  recheck: async () => notSetUp(name),
});
