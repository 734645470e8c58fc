/** How the clients say that an upstream cannot be asked: a sentence for anybody, the reason for the log. */
import { Failure, fail } from "../core/errors.ts";
import type { ProofReader } from "./ports.ts";

/** Seconds after which to try again, when the upstream does not say. */
const PAUSE_SECONDS = 5;

type Why = { cause?: unknown; seconds?: number | null };

/** @param name as people know the upstream, at the beginning of a sentence */
export const unavailableError = (name: string, why: Why = {}): Failure =>
  new Failure("upstream_unavailable", `${name} cannot be asked at the moment. Please try again later.`, {
    retryAfter: Math.max(1, why.seconds ?? PAUSE_SECONDS),
    cause: why.cause,
  });

/** @param name as people know the upstream, at the beginning of a sentence */
export const unavailable = (name: string, why: Why = {}): never => {
  throw unavailableError(name, why);
};

/** Somebody has to configure it first. */
const notSetUp = (name: string): never =>
  fail("upstream_unavailable", `This service is not set up to ask ${name}.`, { retryAfter: 3600 });

/** A platform nobody has given this service a key for. */
export const unconfiguredProofs = (name: string): ProofReader<unknown> => ({
  find: async () => notSetUp(name),
  batch: 100,
  recheck: async () => notSetUp(name),
});
