/** The consequences of a delivery attempt: delivered, retried later, or dead; and the health of the receiver. */
import { backoffMs } from "../times.ts";

/** Max attempts per delivery: the first and five retries. */
export const MAX_ATTEMPTS = 6;
/** Wait before the second attempt; each further wait is six times as long: 5 s, 30 s, 3 min, 18 min, 108 min. */
const FIRST_WAIT_MS = 5_000;
/** Factor from one wait to the next. */
const WAIT_GROWTH = 6;
/** A wait is randomly up to 20 % shorter or longer, so that deliveries that failed together are not retried together. */
const JITTER_SHARE = 0.2;

/** Consecutive failed attempts after which a receiver is paused, then tried with one delivery at a time. */
export const FAILURES_BEFORE_PAUSE = 5;
/** The first pause; each further failure doubles it. */
const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 600_000;
/** Min consecutive failed attempts before a webhook is disabled, however long ago the first of them was. */
const FAILURES_BEFORE_END = 20;
/** Milliseconds without an accepted delivery after which a webhook is disabled: three days, more than a weekend. */
const DISABLE_AFTER_MS = 259_200_000;

export type AttemptOutcome =
  /** The receiver has answered, with any status. */
  | { kind: "answered"; status: number; retryAfterSeconds: number | null }
  /** There was no answer; `reason` is a half-sentence. */
  | { kind: "unanswered"; reason: string; timedOut?: boolean }
  /** The target must not be connected to; `reason` is a half-sentence. */
  | { kind: "refused"; reason: string };

export type ReceiverHealth = {
  /** Failed attempts since the last successful one. */
  failures: number;
  failingSince: Date | null;
  /** No attempt is made before this time. */
  pausedUntil: Date | null;
};

export type DisabledReason = "gone" | "failing";

/** What is stored after an attempt. */
export type AttemptResult = {
  delivery: { state: "delivered" } | { state: "pending"; dueAt: Date } | { state: "dead" };
  receiver: ReceiverHealth;
  disable: DisabledReason | null;
};

export type AttemptFacts = {
  /** Number of attempts of this delivery, this one included. */
  attempts: number;
  health: ReceiverHealth;
  outcome: AttemptOutcome;
  now: Date;
  /** From 0 to 1. */
  random: number;
};

/** A status from 200 to 299 accepts a delivery; a redirect does not, because it is not followed. */
export const isTaken = (outcome: AttemptOutcome): boolean =>
  outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;

/** Decides the consequences of an attempt. */
export function afterAttempt({ attempts, health, outcome, now, random }: AttemptFacts): AttemptResult {
  if (isTaken(outcome)) {
    const receiver = { failures: 0, failingSince: null, pausedUntil: null };
    return { delivery: { state: "delivered" }, receiver, disable: null };
  }
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? now;
  // `Retry-After` counts for all deliveries to the receiver: the next one would get the same answer.
  const retryAfterMs = outcome.kind === "answered" ? (outcome.retryAfterSeconds ?? 0) * 1000 : 0;
  const pause = Math.max(retryAfterMs, failures >= FAILURES_BEFORE_PAUSE ? pauseMs(failures) : 0);
  const receiver = { failures, failingSince, pausedUntil: pause > 0 ? later(now, pause) : health.pausedUntil };
  const gone = outcome.kind === "answered" && outcome.status === 410;
  const failing = failures >= FAILURES_BEFORE_END && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS;
  if (gone || attempts >= MAX_ATTEMPTS || failing)
    return { delivery: { state: "dead" }, receiver, disable: gone ? "gone" : failing ? "failing" : null };
  const wait = Math.max(retryAfterMs, waitMs(attempts, random));
  return { delivery: { state: "pending", dueAt: later(now, wait) }, receiver, disable: null };
}

/** Milliseconds between an attempt, counted from 1, and the next. */
export function waitMs(attempts: number, random: number): number {
  const wait = FIRST_WAIT_MS * WAIT_GROWTH ** (attempts - 1);
  return Math.round(wait * (1 - JITTER_SHARE + 2 * JITTER_SHARE * random));
}

const pauseMs = (failures: number): number => backoffMs(FIRST_PAUSE_MS, MAX_PAUSE_MS, failures - FAILURES_BEFORE_PAUSE);

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
