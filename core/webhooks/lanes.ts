/** Lanes of delivery: receivers that answer, new ones and slow ones have places of their own, so that none waits behind another kind. */

/** answering: has answered quickly; new: has not yet; slow: took too long lately. */
export const LANES = ["answering", "new", "slow"] as const;
export type Lane = (typeof LANES)[number];

type Shares = {
  /** Attempts of one process under way at once. */
  places: number;
  /** Of one owner, in all processes. */
  perOwner: number;
  /** Of an owner with a slow receiver. */
  perSlowOwner: number;
  /** Of one webhook. A receiver that has not answered yet is tried by one delivery at a time. */
  perWebhook: number;
};

/** 64 hostile owners at once are needed to take every place of the receivers that answer, and keep them for 10 s. */
export const SHARES: Record<Lane, Shares> = {
  answering: { places: 128, perOwner: 8, perSlowOwner: 2, perWebhook: 4 },
  new: { places: 48, perOwner: 4, perSlowOwner: 1, perWebhook: 1 },
  slow: { places: 16, perOwner: 1, perSlowOwner: 1, perWebhook: 1 },
};

/** Attempts of one process under way at once, by lane. */
export const PLACES: Record<Lane, number> = {
  answering: SHARES.answering.places,
  new: SHARES.new.places,
  slow: SHARES.slow.places,
};

/** An attempt that takes longer is slow, whatever comes of it. */
const SLOW_MS = 3_000;
/** A slow receiver and its owner's other new receivers stay in their lane at least so long. */
export const SLOW_FOR_MS = 600_000;

/** @param attempt.timedOut there was no answer within the limits */
export const isSlow = ({ durationMs, timedOut }: { durationMs: number; timedOut: boolean }): boolean =>
  timedOut || durationMs >= SLOW_MS;

export type LaneState = { lane: Lane; slowUntil: Date | null };

/** The lane of a receiver after an attempt. A slow one leaves it with its first quick answer after its time. */
export function laneAfter(
  { lane, slowUntil }: LaneState,
  { slow, answered, now }: { slow: boolean; answered: boolean; now: Date },
): LaneState {
  if (slow) return { lane: "slow", slowUntil: new Date(now.getTime() + SLOW_FOR_MS) };
  if (!answered || (slowUntil !== null && slowUntil > now)) return { lane, slowUntil };
  return { lane: "answering", slowUntil: null };
}
