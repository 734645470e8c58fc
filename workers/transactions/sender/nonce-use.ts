/** Proof that another transaction used a nonce of the sender, so that the sender's own can never be mined. */
import { firstBlockWhere } from "../../../core/first-block.ts";
import type { SignedIntent } from "../../../db/transactions/signed-transactions.ts";
import type { SenderSession } from "./session.ts";

/** Blocks for which nodes without an archive keep an account's nonce (geth keeps 128 states). */
const STATE_BLOCKS = 120;

/**
 * Whether another transaction used the intent's nonce, at least `confirmations` deep. A missing receipt proves nothing
 * (a node may lag behind another), so this finds and reads the block in which the nonce was used. Only when that block is
 * older than the states that nodes keep, the absence of every receipt is the proof: no node lags that far.
 */
export async function usedByAnother(session: SenderSession, intent: SignedIntent, head: number): Promise<boolean> {
  const { chain, signer, options } = session;
  const usedBy = async (block: number) => (await chain.nonce(signer.address, block)) > intent.nonce;
  const confirmed = head - options.confirmations;
  if (confirmed < 0 || !(await usedBy(confirmed))) return false;
  const oldest = Math.max(head - STATE_BLOCKS, 0);
  if (await usedBy(oldest)) return true;
  const transactions = await chain.transactionsIn(await firstBlockWhere(oldest + 1, confirmed, usedBy));
  const taker = transactions?.find((tx) => tx.from === signer.address && tx.nonce === intent.nonce);
  return taker !== undefined && !intent.attempts.some((attempt) => attempt.hash === taker.hash);
}
