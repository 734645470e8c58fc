/** minted → awarded: once a registration lies deep enough, the transactions of its bonuses are queued. */
import { awaitsAwards } from "../../db/mints.ts";
import { isIndexed, transaction } from "../../db/transaction.ts";
import { queueAwards } from "../intents/award.ts";
import type { SenderSession } from "./session.ts";

/** @returns whether any awards are queued now or wait for blocks */
export async function queueDueAwards(session: SenderSession, head: number): Promise<boolean> {
  const { db, chain, clock, fault, log, options } = session;
  // Whose code it was is asked of the index.
  if (!(await awaitsAwards(db, clock())) || !(await isIndexed(db))) return false;
  const traitPriceWei = (await chain.traitPrice(options.identity)) ?? 0n;
  const block = head - options.awardConfirmations;
  const queued = await transaction(db, (tx) => queueAwards(tx, { block, now: clock(), traitPriceWei, fault }));
  if (queued > 0) {
    fault("awards.after-commit");
    log.info({ registrations: queued }, "awards queued");
  }
  return true;
}
