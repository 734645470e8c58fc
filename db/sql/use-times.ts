/** How long uses of a scarce thing take, and whether a wait for one is worth it. Milliseconds of a monotonic clock. */

import { Failure } from "../../core/errors.ts";

/** Uses over which their mean duration is taken. */
const USES_REMEMBERED = 32;
/** Assumed duration of a use before the first one is measured. */
const FIRST_GUESS_MS = 5;
/** Share of the longest wait above which a refusal is better. */
const WORTH_WAITING_SHARE = 0.5;

/** The uses under way, each by an object of its own. */
export class UseTimes<Use extends object> {
  readonly #clock: () => number;
  readonly #since = new Map<Use, number>();
  #usual = FIRST_GUESS_MS;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Number of uses under way. */
  get size(): number {
    return this.#since.size;
  }

  begin(use: Use): void {
    this.#since.set(use, this.#clock());
  }

  /** Ends a use; one that did not begin, or has ended, changes nothing. */
  end(use: Use): void {
    const began = this.#since.get(use);
    if (began === undefined) return;
    this.#since.delete(use);
    this.#usual += (this.#clock() - began - this.#usual) / USES_REMEMBERED;
  }

  /**
   * Whether the expected wait of a newcomer is too near to `longestMs` to be worth it. It is the length of the queue times the
   * duration of a use: the recent mean, or the mean age of the uses under way where it is longer.
   * @param waiting uses that wait already @param places uses that may be under way at once @param longestMs longest wait
   */
  isTooLong(waiting: number, places: number, longestMs: number): boolean {
    if (waiting < places) return false;
    let each = this.#usual;
    if (this.size > 0) {
      let sum = 0;
      for (const began of this.#since.values()) sum += began;
      each = Math.max(each, this.#clock() - sum / this.size);
    }
    return (waiting * each) / places > longestMs * WORTH_WAITING_SHARE;
  }
}

/** The refusal of a newcomer who would wait too long. */
export const overloaded = () =>
  new Failure("overloaded", "The service has more to do than it can at the moment. Try again shortly.", {
    retryAfter: 1,
  });
