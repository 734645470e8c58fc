/** Nonce gaps: a nonce that nobody uses holds up every later one, so it is used up with a transfer of nothing to oneself. */
import { TRANSFER_GAS } from "../../core/gas-bounds.ts";
import { firstOffer } from "../../core/transaction-fees.ts";
import { type SignedIntent, storeFiller } from "../../db/signed-transactions.ts";
import { transaction } from "../../db/transaction.ts";
import { broadcast } from "./broadcast.ts";
import { signFiller } from "./give-up.ts";
import type { SenderSession } from "./session.ts";

/**
 * Fills each unused nonce below our last one that is older than `stuckAfterMs`. A gap appears when our nonce was counted
 * behind somebody else's waiting transaction that then never came. The transactions behind it cannot be signed anew with
 * the free nonce: their first bytes stay valid, and both would be mined.
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
