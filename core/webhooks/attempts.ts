/** What follows from an attempt to deliver: done, once more at a later time, or given up; and what it says about the receiver. */

/** Attempts of one delivery, the first and five more. */
export const MOST_ATTEMPTS = 6;
/** Before the second attempt; each further wait is six times as long: 5 s, 30 s, 3 min, 18 min, 108 min. */
const FIRST_WAIT_MS = 5_000;
const WAIT_GROWTH = 6;
/** A wait is between so much shorter and so much longer than that, so that those who failed together do not come back together. */
const JITTER = 0.2;

/** Failed attempts in a row after which a receiver is left alone for a while, and then tried by one delivery at a time. */
export const FAILURES_BEFORE_PAUSE = 5;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
/** Failed attempts in a row without which nobody is switched off, however long ago the first of them was. */
const FAILURES_BEFORE_END = 20;

/** What came of an attempt. */
export type AttemptOutcome =
  /** Whatever the status, the receiver has answered. */
  | { kind: "answered"; status: number; retryAfterSeconds: number | null }
  /** There was no answer, a half-sentence why. */
  | { kind: "unanswered"; reason: string; timedOut?: boolean }
  /** The target must not be dialled, a half-sentence why. */
  | { kind: "refused"; reason: string };

/** A receiver as its failures describe it. */
export type ReceiverHealth = {
  /** Failed attempts since the last good one. */
  failures: number;
  failingSince: Date | null;
  /** Nothing is sent before. */
  pausedUntil: Date | null;
};

export type DisabledReason = "gone" | "failing";

/** What is written down after an attempt. */
export type AttemptResult = {
  delivery: { state: "delivered" } | { state: "pending"; dueAt: Date } | { state: "dead" };
  receiver: ReceiverHealth;
  disable: DisabledReason | null;
};

export type AttemptFacts = {
  /** Attempts made of this delivery, this one included. */
  attempts: number;
  health: ReceiverHealth;
  outcome: AttemptOutcome;
  now: Date;
  /** How long a receiver may fail before it is switched off. */
  disableAfterMs: number;
  /** From 0 to 1. */
  random: number;
};

/** Every answer from 200 to 299 takes a delivery; a redirect does not, for it is not followed. */
export const isTaken = (outcome: AttemptOutcome): boolean =>
  outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;

/** Decides what follows from an attempt. */
export function afterAttempt({ attempts, health, outcome, now, disableAfterMs, random }: AttemptFacts): AttemptResult {
  if (isTaken(outcome)) {
    const receiver = { failures: 0, failingSince: null, pausedUntil: null };
    return { delivery: { state: "delivered" }, receiver, disable: null };
  }
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? now;
  // Who says when to come back is believed for every delivery: the next would be told the same.
  const asked = outcome.kind === "answered" ? (outcome.retryAfterSeconds ?? 0) * 1000 : 0;
  const pause = Math.max(asked, failures >= FAILURES_BEFORE_PAUSE ? pauseMs(failures) : 0);
  const receiver = { failures, failingSince, pausedUntil: pause > 0 ? later(now, pause) : health.pausedUntil };
  const gone = outcome.kind === "answered" && outcome.status === 410;
  const failing = failures >= FAILURES_BEFORE_END && now.getTime() - failingSince.getTime() >= disableAfterMs;
  if (gone || attempts >= MOST_ATTEMPTS || failing)
    return { delivery: { state: "dead" }, receiver, disable: gone ? "gone" : failing ? "failing" : null };
  const wait = Math.max(asked, waitMs(attempts, random));
  return { delivery: { state: "pending", dueAt: later(now, wait) }, receiver, disable: null };
}

/** Milliseconds between an attempt, counted from 1, and the next. */
export function waitMs(attempts: number, random: number): number {
  const wait = FIRST_WAIT_MS * WAIT_GROWTH ** (attempts - 1);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}

const pauseMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - FAILURES_BEFORE_PAUSE, 16));

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
