/** Notifies the sender of intents once they are committed. */
import type pg from "pg";
import { madeOnce, sharedRead } from "../../runtime/once.ts";
import { statement } from "../sql/statement.ts";
import { INTENT_CHANNEL, VOID } from "./transaction-outbox.ts";

const NOTIFY = statement({
  name: "notify-sender",
  text: `select pg_notify('${INTENT_CHANNEL}', '')`,
  columns: { pg_notify: VOID },
  prepared: true,
});

const notifyOne = madeOnce((db: pg.Pool) => sharedRead(() => NOTIFY.run(db)));

/**
 * Wakes the sender, in a statement of its own and at most one at a time: a transaction that notifies holds a lock of the
 * whole server while it waits for the disk, so that acceptances that did it themselves would commit one by one. A lost
 * notification costs a moment only: the sender also reads the table at intervals.
 */
export function notifySender(db: pg.Pool): void {
  // The next acceptance tries again; until then the sender finds queued intents at its next read.
  notifyOne(db)().catch(() => {});
}
