/** Rest: without work the sender reads the chain only for its funds, and rarely, because requests to a node cost. */
import { awaitsSender } from "../../../db/transactions/transaction-outbox.ts";
import type { SenderSession } from "./session.ts";

/** Whether a round may be left out: the last one found no work, and the database has none since. */
export async function mayRest({ db, clock, options, restsUntil }: SenderSession): Promise<boolean> {
  if (clock().getTime() >= restsUntil) return false;
  return !(await awaitsSender(db, { kinds: options.waitingKinds, now: clock() }));
}
