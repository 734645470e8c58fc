/** minted → awarded: queues the transactions of a registration's bonuses once it has enough confirmations. */
import { awaitsAwards, type DueMint, mintsDueForAwards, setAwardsDue } from "../../../db/mints/mint-awards.ts";
import { isIndexed, transaction } from "../../../db/sql/transaction.ts";
import { AWARD_RETRY_MS, queueAwards } from "../intents/award.ts";
import type { SenderSession } from "./session.ts";

/** Max registrations per round. */
const REGISTRATIONS_PER_ROUND = 50;

/**
 * One item: a registration whose bonuses cannot be queued is caught by itself and tried again in ten minutes; it delays
 * neither the others nor the sender.
 * @returns whether any awards were due, or wait for confirmations
 */
export async function queueDueAwards(session: SenderSession, head: number): Promise<boolean> {
  const { db, chain, clock, options } = session;
  // The owner of the referral code comes from the index.
  if (!(await awaitsAwards(db, { now: clock() })) || !(await isIndexed(db))) return false;
  const due = await mintsDueForAwards(db, {
    block: head - options.awardConfirmations,
    now: clock(),
    limit: REGISTRATIONS_PER_ROUND,
  });
  const traitPriceWei = due.length > 0 ? ((await chain.traitPrice(options.identity)) ?? 0n) : 0n;
  for (const mint of due) await queueOne(session, mint, traitPriceWei);
  return true;
}

/**
 * Check then write: due, deep enough and the referrer, then `queueRepeatable`; the referrer may be sold, the token
 * renumbered: key unique by wallet, read and queued in one transaction.
 */
async function queueOne({ db, clock, fault, log }: SenderSession, mint: DueMint, traitPriceWei: bigint): Promise<void> {
  try {
    await transaction(db, async (tx) => {
      await queueAwards(tx, mint, traitPriceWei, clock());
      fault("awards.before-commit");
    });
    fault("awards.after-commit");
    log.info({ mint: mint.mintId }, "awards queued");
  } catch (error) {
    log.error({ mint: mint.mintId, error }, "the awards of a registration could not be queued");
    await setAwardsDue(db, { mintId: mint.mintId, at: new Date(clock().getTime() + AWARD_RETRY_MS) });
  }
}
