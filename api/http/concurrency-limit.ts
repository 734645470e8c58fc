/** Limits of concurrent use, for what a request holds for long: a number for the process, and one for each client. */
import { fail } from "../../core/errors.ts";

/** The end of a response: its event `close` comes once, however it ends; `destroyed` is true after it. */
export type ResponseEnd = { readonly destroyed: boolean; once(event: "close", closed: () => void): unknown };

export type ConcurrencyRules = {
  /** The thing that is limited, as the refusal names it: `event streams`. */
  what: string;
  /** Max at the same time for one holder, and for the process; 0 = no limit. */
  perHolder: number;
  inAll: number;
  /** Seconds after which a refused client may try again. */
  retryAfter: number;
};

export type ConcurrencyLimit = {
  /**
   * Acquires one slot, counted for every holder. Check and count happen without an await between them, so that a burst
   * gets no more than single requests. The slot is released when the response closes, however it ends.
   * @param holders names that share the limit of one: a network, a caller
   * @returns false when the response is closed already: there is nothing to release, and nothing to begin
   * @throws Failure rate_limited (a holder has all of its slots), overloaded (the process has none left)
   */
  acquire(response: ResponseEnd, holders: readonly string[]): boolean;
  readonly inUse: number;
};

/** Check then write: places are left, then one is taken; no await. */
export function concurrencyLimit({ what, perHolder, inAll, retryAfter }: ConcurrencyRules): ConcurrencyLimit {
  const byHolder = new Map<string, number>();
  let inUse = 0;

  function release(holders: readonly string[]): void {
    inUse--;
    for (const holder of holders) {
      const left = byHolder.get(holder)! - 1;
      if (left > 0) byHolder.set(holder, left);
      else byHolder.delete(holder);
    }
  }

  return {
    acquire(response, holders) {
      if (response.destroyed) return false;
      if (perHolder > 0 && holders.some((holder) => (byHolder.get(holder) ?? 0) >= perHolder))
        fail("rate_limited", `You have as many ${what} open as one client may: ${perHolder}.`, { retryAfter });
      if (inAll > 0 && inUse >= inAll)
        fail("overloaded", `Too many ${what} are open. Try again shortly.`, { retryAfter });
      inUse++;
      for (const holder of holders) byHolder.set(holder, (byHolder.get(holder) ?? 0) + 1);
      response.once("close", () => release(holders));
      return true;
    },
    get inUse() {
      return inUse;
    },
  };
}
