/** Places for what a request holds for long: at most so many in the process, and fewer for each who asks. */
import { fail } from "../../core/errors.ts";

/** The end of a response: its event `close` comes once, however it ends; `destroyed` is true when it has come. */
export type ResponseEnd = { readonly destroyed: boolean; once(event: "close", closed: () => void): unknown };

export type PlaceRules = {
  /** What is held, as the refusal names it: `event streams`. */
  what: string;
  /** Places of one holder, and of the process; 0 = no limit. */
  perHolder: number;
  inAll: number;
  /** Seconds after which a refused client may ask again. */
  retryAfter: number;
};

export type Places = {
  /**
   * Takes a place of every holder, at once: between the count and the taking there is no wait, so that a burst gets no
   * more than requests one by one. It is given back when the response closes, whichever way it ends.
   * @param holders names that share the limit of one: a network, a caller
   * @returns false when the response is closed already: there is no place to give back, and nothing to begin
   * @throws Failure rate_limited (a holder has all of its places), overloaded (the process has none left)
   */
  take(response: ResponseEnd, holders: readonly string[]): boolean;
  readonly taken: number;
};

export function places({ what, perHolder, inAll, retryAfter }: PlaceRules): Places {
  const held = new Map<string, number>();
  let taken = 0;

  function giveBack(holders: readonly string[]): void {
    taken--;
    for (const holder of holders) {
      const left = held.get(holder)! - 1;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
    }
  }

  return {
    take(response, holders) {
      if (response.destroyed) return false;
      if (perHolder > 0 && holders.some((holder) => (held.get(holder) ?? 0) >= perHolder))
        fail("rate_limited", `You have as many ${what} open as one client may: ${perHolder}.`, { retryAfter });
      if (inAll > 0 && taken >= inAll)
        fail("overloaded", `Too many ${what} are open. Try again shortly.`, { retryAfter });
      taken++;
      for (const holder of holders) held.set(holder, (held.get(holder) ?? 0) + 1);
      response.once("close", () => giveBack(holders));
      return true;
    },
    get taken() {
      return taken;
    },
  };
}
