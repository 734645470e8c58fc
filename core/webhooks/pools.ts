/** Delivery pools (bulkheads): receivers that answer, new ones and slow ones have slots of their own, so that no kind waits behind another. */

/** answering: has answered quickly; new: has not answered yet; slow: took too long recently. */
export const POOLS = ["answering", "new", "slow"] as const;
export type DeliveryPool = (typeof POOLS)[number];

type PoolLimits = {
  /** Max concurrent attempts of one process. */
  slots: number;
  /** Max concurrent attempts for one owner, in all processes. */
  perOwner: number;
  /** The same, for an owner with a slow receiver. */
  perSlowOwner: number;
  /** Max concurrent attempts for one webhook. A receiver that has not answered yet gets one delivery at a time. */
  perWebhook: number;
};

/**
 * It takes 64 hostile owners at once to occupy all slots of the receivers that answer, for 10 s.
 * Bound: deliveries, slots by pool and owner; 1,000 waiting and 2,000 settled of a webhook, 16 connections of a host, 4
 * of them slow, 10 s each (clients/webhook-receivers.ts).
 */
export const POOL_LIMITS: Record<DeliveryPool, PoolLimits> = {
  answering: { slots: 128, perOwner: 8, perSlowOwner: 2, perWebhook: 4 },
  new: { slots: 48, perOwner: 4, perSlowOwner: 1, perWebhook: 1 },
  slow: { slots: 16, perOwner: 1, perSlowOwner: 1, perWebhook: 1 },
};

/** Max concurrent attempts of one process, by pool. */
export const POOL_SLOTS: Record<DeliveryPool, number> = {
  answering: POOL_LIMITS.answering.slots,
  new: POOL_LIMITS.new.slots,
  slow: POOL_LIMITS.slow.slots,
};

/** Milliseconds from which on an attempt with any outcome is slow. */
const SLOW_MS = 3_000;
/** Min milliseconds that a slow receiver, and its owner's new receivers, stay in the pool of slow ones. */
const SLOW_FOR_MS = 600_000;

/** @param attempt.timedOut no answer within the time limits */
export const isSlow = ({ durationMs, timedOut }: { durationMs: number; timedOut: boolean }): boolean =>
  timedOut || durationMs >= SLOW_MS;

export type PoolState = { pool: DeliveryPool; slowUntil: Date | null };

/** The pool of a receiver after an attempt. A slow receiver leaves its pool with the first quick answer after `slowUntil`. */
export function poolAfter(
  { pool, slowUntil }: PoolState,
  { slow, answered, now }: { slow: boolean; answered: boolean; now: Date },
): PoolState {
  if (slow) return { pool: "slow", slowUntil: new Date(now.getTime() + SLOW_FOR_MS) };
  if (!answered || (slowUntil !== null && slowUntil > now)) return { pool, slowUntil };
  return { pool: "answering", slowUntil: null };
}
