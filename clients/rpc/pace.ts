/** The rate of requests that one URL accepts, as learned from its refusals. */

/** Rate above which a node counts as unlimited, in requests per second. */
const UNLIMITED_PER_SECOND = 2_000;
/** Milliseconds without a refusal after which the rate grows by a quarter. */
const GROWS_AFTER_MS = 5_000;
const GROWTH = 1.25;
/** Milliseconds of the first pause when the node names none; each further refusal without an answer between doubles it. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Share of the rate at which a node refused that is tried next. */
const RATE_SHARE_AFTER_REFUSAL = 0.7;
/** Lowest rate; a node that takes less still pauses each time. A process with few requests must not stay slow for minutes. */
const MIN_PER_SECOND = 5;

export type Pace = {
  /** Requests per second; null: none was refused so far. */
  readonly perSecond: number | null;
  /** Milliseconds until the node accepts requests again, by its own words or after a refusal; 0: now. */
  pausedMs(): number;
  /** Requests that may be sent now, at most `wanted`. */
  room(wanted: number): number;
  /** Milliseconds until one request may be sent. */
  waitMs(): number;
  sent(requests: number): void;
  answered(): void;
  /** The node refused for the rate. @param pauseMs as it names it; null: it names none @param sentAt of the refused request */
  refused(pauseMs: number | null, sentAt: number): void;
};

/** @param now milliseconds of a clock that only grows */
export function openPace(now: () => number): Pace {
  let perSecond: number | null = null;
  let tokens = 0;
  let filledAt = 0;
  let pausedUntil = 0;
  let nextPauseMs = FIRST_PAUSE_MS;
  let changedAt = 0;
  let refusedAt = -Infinity;
  /** Requests sent in the running second and in the one before. */
  let second = { at: 0, sent: 0, before: 0 };

  function count(requests: number): void {
    const at = Math.floor(now() / 1_000);
    if (at !== second.at) second = { at, sent: 0, before: at === second.at + 1 ? second.sent : 0 };
    second.sent += requests;
  }
  function fill(rate: number): void {
    tokens = Math.min(Math.max(1, rate), tokens + ((now() - filledAt) / 1_000) * rate);
    filledAt = now();
  }
  return {
    get perSecond() {
      return perSecond;
    },
    pausedMs: () => Math.max(0, pausedUntil - now()),
    room(wanted) {
      if (now() < pausedUntil) return 0;
      if (perSecond === null) return wanted;
      fill(perSecond);
      return Math.min(wanted, Math.floor(tokens));
    },
    waitMs() {
      const paused = Math.max(0, pausedUntil - now());
      if (perSecond === null) return paused;
      fill(perSecond);
      return Math.max(paused, tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000));
    },
    sent(requests) {
      count(requests);
      tokens -= requests;
    },
    answered() {
      nextPauseMs = FIRST_PAUSE_MS;
      if (perSecond === null || now() - changedAt < GROWS_AFTER_MS) return;
      changedAt = now();
      perSecond *= GROWTH;
      if (perSecond > UNLIMITED_PER_SECOND) perSecond = null;
    },
    refused(pauseMs, sentAt) {
      // Requests that were under way at the first refusal are refused with it: they lower the rate once.
      if (sentAt > refusedAt) {
        count(0);
        perSecond = Math.max(
          MIN_PER_SECOND,
          Math.min(perSecond ?? Infinity, Math.max(second.sent, second.before)) * RATE_SHARE_AFTER_REFUSAL,
        );
        changedAt = refusedAt = now();
        tokens = 0;
        filledAt = now();
        pausedUntil = Math.max(pausedUntil, now() + (pauseMs ?? nextPauseMs));
        nextPauseMs = Math.min(nextPauseMs * 2, MAX_PAUSE_MS);
      } else if (pauseMs !== null) pausedUntil = Math.max(pausedUntil, now() + pauseMs);
    },
  };
}
