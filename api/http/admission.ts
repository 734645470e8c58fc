/** Who may come in while the database has more to do than it can: a line that stands is not joined. */
import type pg from "pg";
import { fail } from "../../core/errors.ts";

/** @throws Failure overloaded, at once, when whoever came in would wait too long for a connection */
export type Admission = () => void;

/** So many wait for each connection at most: who is let in waits for that many answers before its own. */
const WAITING_EACH = 6;
/** A burst may wait: only a line that is too long for so long is overload. */
const BURST_MS = 150;

/**
 * Keeps the line for the pool's connections short by sending away who comes last, because an answer that everybody would
 * wait for too long is worse than a refusal that costs nothing: clients can come back.
 * @param clock milliseconds that never go back
 */
export function admission(
  db: Pick<pg.Pool, "waitingCount"> & { options: { max: number } },
  clock: () => number = () => performance.now(),
): Admission {
  const most = WAITING_EACH * db.options.max;
  let tooLongSince: number | undefined;
  return () => {
    if (db.waitingCount < most) {
      tooLongSince = undefined;
      return;
    }
    tooLongSince ??= clock();
    if (clock() - tooLongSince >= BURST_MS)
      fail("overloaded", "The service has more to do than it can at the moment. Try again shortly.", { retryAfter: 1 });
  };
}
