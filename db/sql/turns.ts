/** Turns at a scarce thing, first come, first served: who waits, for how long, and who is refused. Milliseconds of a monotonic clock. */
import { Failure } from "../../core/errors.ts";

/** Uses over which their mean duration is taken. */
const USES_REMEMBERED = 32;
/** Assumed duration of a use before the first one is measured. */
const FIRST_GUESS_MS = 5;
/** Share of the longest wait above which a refusal is better: the expected wait is an estimate. */
const WORTH_WAITING_SHARE = 0.5;
/** Milliseconds for which a queue may last and still be a burst: one that lasts longer means more work than can be done. */
const BURST_MS = 5_000;
/** Most who wait in a burst: the estimate has not seen yet that nothing moves, and each of them holds a request in memory. */
const BURST_WAITERS = 2_000;
/** Longest wait of a newcomer while the queue lasts longer: a late answer for all clients is worse than some refusals. */
const LASTING_WAIT_MS = 1_000;

export type TurnLimits = {
  /** Uses that may be under way at once. */
  capacity(): number;
  /** Max wait for a turn. */
  waitMs(): number;
  clock?: () => number;
};

/** Ends a use, once. @param counts false: its duration says nothing about the next ones */
type EndUse = (counts?: boolean) => void;

type Waiter = { start(): void; refuse(error: unknown): void };

/** The refusal of a newcomer who would wait too long, and of one who has. */
export const overloaded = () =>
  new Failure("overloaded", "The service has more to do than it can at the moment. Try again shortly.", {
    retryAfter: 1,
  });

export class Turns {
  readonly #limits: TurnLimits;
  readonly #clock: () => number;
  /** When each use under way began. */
  readonly #since = new Map<object, number>();
  readonly #waiters = new Set<Waiter>();
  /** When the first of those who wait came, the queue having been empty before. */
  #waitingSince = 0;
  #usual = FIRST_GUESS_MS;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#clock = limits.clock ?? (() => performance.now());
  }

  get underWay(): number {
    return this.#since.size;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Waits for a turn. @param waitMs max wait, that of the limits unless given @returns ends the use
   * @throws Failure overloaded beyond the wait, or the error of `refuseWaiting`
   */
  async enter(waitMs = this.#limits.waitMs()): Promise<EndUse> {
    if (this.#since.size < this.#limits.capacity()) return this.#begin();
    if (this.#waiters.size === 0) this.#waitingSince = this.#clock();
    return new Promise((started, refused) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        start: () => {
          leave();
          started(this.#begin());
        },
        refuse: (error) => {
          leave();
          refused(error);
        },
      };
      const timer = setTimeout(() => waiter.refuse(overloaded()), waitMs);
      this.#waiters.add(waiter);
    });
  }

  /** Refuses all who wait, because no turn of theirs could be used. */
  refuseWaiting(error: unknown): void {
    for (const waiter of this.#waiters) waiter.refuse(error);
  }

  /**
   * Whether a newcomer would wait too long to be worth it. The expected wait is the length of the queue times the duration of
   * a use: the recent mean, or in a queue that lasts the mean age of the uses under way where it is longer. A burst says
   * nothing by their age: the first uses of a process that gets little of the processor are slow, and those after them are not.
   */
  get isTooLong(): boolean {
    const [waiting, places, now] = [this.#waiters.size, this.#limits.capacity(), this.#clock()];
    if (waiting < places) return false;
    if (waiting >= BURST_WAITERS) return true;
    if (now - this.#waitingSince < BURST_MS) return this.#isWaitAbove(this.#limits.waitMs(), this.#usual);
    let sum = 0;
    for (const began of this.#since.values()) sum += now - began;
    const each = Math.max(this.#usual, sum / Math.max(1, this.#since.size));
    return this.#isWaitAbove(Math.min(this.#limits.waitMs(), LASTING_WAIT_MS), each);
  }

  #isWaitAbove(longest: number, each: number): boolean {
    return (this.#waiters.size * each) / this.#limits.capacity() > longest * WORTH_WAITING_SHARE;
  }

  #begin(): EndUse {
    const use = {};
    this.#since.set(use, this.#clock());
    return (counts = true) => {
      const began = this.#since.get(use);
      if (began === undefined) return;
      this.#since.delete(use);
      if (counts) this.#usual += (this.#clock() - began - this.#usual) / USES_REMEMBERED;
      for (const waiter of this.#waiters) {
        if (this.#since.size >= this.#limits.capacity()) break;
        waiter.start();
      }
    };
  }
}
