/** Limits of concurrent use, for what a request holds for long. */
import { SHARED_PLACES, type SharedPlacesName } from "../../core/callers/shared-places.ts";
import { places, type Who } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";

/** The end of a response: its event `close` comes once, however it ends; `destroyed` is true after it. */
export type ResponseEnd = { readonly destroyed: boolean; once(event: "close", closed: () => void): unknown };

/** Is aborted when the request ends. */
export function endOf(response: ResponseEnd): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/** @param numbers in place of those of the list */
export function concurrencyLimit(name: SharedPlacesName, numbers: { perHolder?: number; inAll?: number } = {}) {
  const { what, retryAfter, perHolder, inAll } = { ...SHARED_PLACES[name], ...numbers };
  const slots = places({ perHolder, inAll });
  return {
    /**
     * Acquires one slot, counted for every holder. The slot is released when the response closes, however it ends.
     * @param holders who share the limit of one: the networks of a client, or the name of a caller
     * @returns false when the response is closed already: there is nothing to release, and nothing to begin
     * @throws Failure rate_limited (a holder has all of its slots), overloaded (the process has none left)
     */
    acquire(response: ResponseEnd, holders: readonly Who[]): boolean {
      if (response.destroyed) return false;
      const release = slots.take(holders);
      if (release === "holder")
        fail("rate_limited", `You have as many ${what} open as one client may: ${perHolder}.`, { retryAfter });
      if (release === "all") fail("overloaded", `Too many ${what} are open. Try again shortly.`, { retryAfter });
      response.once("close", release as () => void);
      return true;
    },
    get inUse(): number {
      return slots.inUse;
    },
  };
}
