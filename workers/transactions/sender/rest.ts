/** Rest: without work the sender reads the chain only for its funds, and rarely, because requests to a node cost. */
import { awaitsAwards } from "../../../db/mints/mint-awards.ts";
import { queuedIntents } from "../../../db/transactions/transaction-outbox.ts";
import type { SenderSession } from "./session.ts";

/** Whether a round may be left out: the last one found no work, and the database has none since. */
export async function mayRest({ db, clock, options, restsUntil }: SenderSession): Promise<boolean> {
  if (clock().getTime() >= restsUntil) return false;
  if ((await queuedIntents(db, 1)).length > 0 || (await awaitsAwards(db, clock()))) return false;
  return (await queuedIntents(db, 1, options.waitingKinds)).length === 0;
}
