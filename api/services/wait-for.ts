/** Waiting for what another process decides: a look at every notification that concerns it, and twice a second in any case. */
import type pg from "pg";
import { notifications } from "../../db/notifications.ts";

/** Between two looks without a notification; one may be lost with its connection. */
const LOOK_MS = 500;

/**
 * Looks until it is decided, for at most `timeoutMs`.
 * @param awaited.concerns whether a notification's payload is about this; after a lost connection every look counts
 * @returns what the last look saw, decided or not
 * @throws whatever `look` throws
 */
export async function lookUntil<T>(
  db: pg.Pool,
  awaited: {
    channel: string;
    concerns(payload: string): boolean;
    timeoutMs: number;
    look(): Promise<T>;
    decided(seen: T): boolean;
  },
): Promise<T> {
  const deadline = performance.now() + awaited.timeoutMs;
  let ring = () => {};
  const unsubscribe = notifications(db).on(awaited.channel, (payload) => {
    if (payload === "" || awaited.concerns(payload)) ring();
  });
  try {
    for (;;) {
      // Listening begins before the look: what is decided meanwhile rings.
      const rung = new Promise<void>((done) => {
        ring = done;
      });
      const seen = await awaited.look();
      const left = deadline - performance.now();
      if (awaited.decided(seen) || left <= 0) return seen;
      const timer = setTimeout(ring, Math.min(left, LOOK_MS));
      await rung;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
}
