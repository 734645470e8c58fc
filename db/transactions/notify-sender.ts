/** Notifies the sender of intents once they are committed. */
import type pg from "pg";
import { statement } from "../sql/statement.ts";
import { INTENT_CHANNEL, VOID } from "./transaction-outbox.ts";

const NOTIFY = statement({
  name: "notify-sender",
  text: `select pg_notify('${INTENT_CHANNEL}', '')`,
  columns: { pg_notify: VOID },
  prepared: true,
});

/** Pools with a notification under way, and whether another is to follow. */
const underWay = new WeakMap<pg.Pool, { again: boolean }>();

/**
 * Wakes the sender, in a statement of its own and at most one at a time: a transaction that notifies holds a lock of the
 * whole server while it waits for the disk, so that acceptances that did it themselves would commit one by one. A lost
 * notification costs a moment only: the sender also reads the table at intervals.
 */
export function notifySender(db: pg.Pool): void {
  const running = underWay.get(db);
  if (running) {
    running.again = true;
    return;
  }
  const state = { again: false };
  underWay.set(db, state);
  void (async () => {
    try {
      do {
        state.again = false;
        await NOTIFY.run(db);
      } while (state.again);
    } catch {
      // The next acceptance tries again; until then the sender finds queued intents at its next read.
    } finally {
      underWay.delete(db);
    }
  })();
}
