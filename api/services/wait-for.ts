/** Waits for a decision of another process: checks at every notification about it, and twice a second in any case. */
import type pg from "pg";
import { notifications } from "../../db/sql/notifications.ts";

/** Milliseconds between two checks without a notification; one may be lost with its connection. */
const CHECK_MS = 500;

/**
 * Reads until the state is decided, for at most `timeoutMs`.
 * @param awaited.concerns whether a notification's payload is about this; after a lost connection every check counts
 * @returns what the last read returned, decided or not
 * @throws the errors of `read`
 */
export async function waitFor<T>(
  db: pg.Pool,
  awaited: {
    channel: string;
    concerns(payload: string): boolean;
    timeoutMs: number;
    read(): Promise<T>;
    decided(state: T): boolean;
  },
): Promise<T> {
  const deadline = performance.now() + awaited.timeoutMs;
  let wake = () => {};
  const unsubscribe = notifications(db).on(awaited.channel, (payload) => {
    if (payload === "" || awaited.concerns(payload)) wake();
  });
  try {
    for (;;) {
      // Listening begins before the read: a decision during the read wakes the wait.
      const woken = new Promise<void>((done) => {
        wake = done;
      });
      const state = await awaited.read();
      const left = deadline - performance.now();
      if (awaited.decided(state) || left <= 0) return state;
      const timer = setTimeout(wake, Math.min(left, CHECK_MS));
      await woken;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
}
