/** When a worker leaves the planes alone: for a while after a failure, and while workers of another version keep theirs. */
import type pg from "pg";
import { backoffMs } from "../../../core/backoff.ts";

/** Milliseconds until the first attempt after a failure; each further failure doubles them, up to the second number. */
const RETRY_MS = { first: 6_000, most: 1_800_000 };

/** What this process has seen of the planes of one database. */
export class Restraint {
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #hadOwn = false;

  /** @param now milliseconds since the epoch, as everywhere here */
  waits(now: number): boolean {
    return now < this.#retryAt;
  }

  failed(now: number): void {
    this.#retryAt = now + backoffMs(RETRY_MS.first, RETRY_MS.most, this.#failures);
    this.#failures++;
  }

  /** A run has ended well. @param own whether there are planes of this version's layout now */
  ended(own: boolean): void {
    this.#failures = 0;
    this.#hadOwn ||= own;
  }

  /**
   * Whether planes of another layout are left to the workers that keep them. A process that never saw planes of its own
   * layout has started later than the version that made them, and builds its own. One whose planes were replaced waits until
   * no worker keeps the new ones, or workers of two versions would build all planes in turn.
   * @param foldedAt when they were written last @param leftAfterMs time without a fold after which no worker keeps them
   */
  leavesTo(foldedAt: number, now: number, leftAfterMs: number): boolean {
    return this.#hadOwn && Math.abs(now - foldedAt) < leftAfterMs;
  }
}

const known = new WeakMap<pg.Pool, Restraint>();

/** By the pool: a process has one for each database. */
export function restraintOf(pool: pg.Pool): Restraint {
  const restraint = known.get(pool) ?? new Restraint();
  known.set(pool, restraint);
  return restraint;
}
