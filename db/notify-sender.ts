/** Tells the sender about intents once they are committed. */
import type pg from "pg";
import { INTENT_CHANNEL } from "./transaction-outbox.ts";

/** Of each pool: a word is under way, and whether another is to follow. */
const underWay = new WeakMap<pg.Pool, { again: boolean }>();

/**
 * Wakes the sender, in a statement of its own and at most one at a time: a transaction that notifies holds a lock of the
 * whole server while it waits for the disk, so that acceptances that did it themselves would commit one by one. A word
 * that is lost costs a moment only: the sender looks by itself too.
 */
export function wakeSender(db: pg.Pool): void {
  const told = underWay.get(db);
  if (told) {
    told.again = true;
    return;
  }
  const state = { again: false };
  underWay.set(db, state);
  void (async () => {
    try {
      do {
        state.again = false;
        await db.query({ name: "wake-sender", text: `select pg_notify('${INTENT_CHANNEL}', '')` });
      } while (state.again);
    } catch {
      // The next acceptance tries again; until then the sender finds what is queued at its next look.
    } finally {
      underWay.delete(db);
    }
  })();
}
