/** Nonce gaps: an unused nonce blocks every later one, so an empty transfer of the account to itself uses it. */
import { TRANSFER_GAS } from "../../../core/transactions/gas-bounds.ts";
import { firstOffer } from "../../../core/transactions/transaction-fees.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import { type SignedIntent, storeFiller } from "../../../db/transactions/signed-transactions.ts";
import { broadcast } from "./broadcast.ts";
import { signFiller } from "./give-up.ts";
import type { SenderSession } from "./session.ts";

/**
 * Fills each unused nonce below the sender's last one after `stuckAfterMs`. A gap appears when the sender counted a
 * pending transaction of another process, and that transaction then disappeared. Transactions behind the gap cannot be
 * signed again with the free nonce: their first bytes stay valid, and both would be mined.
 * Check then write: no transaction of ours has the nonce, then `storeFiller`; an intent may take it: `not exists` in
 * the insert, and (sender, nonce) is unique.
 */
export async function closeGaps(
  session: SenderSession,
  waiting: SignedIntent[],
  { head, usedNonces }: { head: number; usedNonces: number },
): Promise<void> {
  const { gapSince, clock, options, signer, chain, db, log } = session;
  const held = new Set(waiting.map((intent) => intent.nonce));
  const last = waiting.at(-1)?.nonce ?? -1;
  for (const nonce of gapSince.keys()) {
    if (nonce < usedNonces || nonce > last || held.has(nonce)) gapSince.delete(nonce);
  }
  for (let nonce = usedNonces; nonce < last; nonce++) {
    if (held.has(nonce)) continue;
    const since = gapSince.get(nonce) ?? clock().getTime();
    gapSince.set(nonce, since);
    if (clock().getTime() - since < options.stuckAfterMs) continue;
    const attempt = await signFiller(session, nonce, firstOffer(await chain.fees(), options));
    const stored = await transaction(db, (tx) =>
      storeFiller(tx, { sender: signer.address, gasLimit: TRANSFER_GAS, attempt, at: clock() }),
    );
    if (!stored) continue;
    log.warn({ nonce }, "nonce gap closed with an empty transaction");
    await broadcast(session, [{ ...attempt, broadcastAt: null, broadcastBlock: null }], head);
  }
}
