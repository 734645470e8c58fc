/** Ends intents that cannot be carried out: directly while they have no nonce, later by a filler at their nonce. */
import { TRANSFER_GAS } from "../../../core/transactions/gas-bounds.ts";
import { type Fees, fillerOffer, type Market } from "../../../core/transactions/transaction-fees.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import {
  type NewAttempt,
  type SignedIntent,
  storeAttempt,
  storeFailure,
} from "../../../db/transactions/signed-transactions.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import { effectOf } from "../intents.ts";
import { broadcast } from "./broadcast.ts";
import { FILLER_FAULT_POINT, type SenderSession } from "./session.ts";

/**
 * Ends an intent that no transaction can carry out any more, with its consequences, in one commit.
 * Check then write: refused, then `storeFailure` and the effect; it may be signed meanwhile: guarded update, one
 * commit.
 */
export async function endIntent(session: SenderSession, intent: Intent, reason: string): Promise<void> {
  session.log.info({ intent: intent.intentKey, reason }, "intent ended without a transaction");
  await transaction(session.db, async (tx) => {
    if (!(await storeFailure(tx, { intentId: intent.id, error: reason }))) return;
    await effectOf(intent.intentKey, session.options.effects)?.failed(tx, intent, reason, session.clock());
  });
}

/** Signs an empty transfer from the account to itself, which uses a nonce. */
export async function signFiller({ signer }: SenderSession, nonce: number, offer: Fees): Promise<NewAttempt> {
  const empty = { to: signer.address, data: "0x", valueWei: 0n, gasLimit: TRANSFER_GAS } as const;
  const { raw, hash } = await signer.sign({ ...empty, nonce, ...offer });
  return { hash, nonce, raw, ...offer, filler: true };
}

/**
 * Signs a filler in place of an intent's call, so that the intents behind it are mined. The intent keeps its nonce and
 * stays signed: a node may have its first bytes, so only the block decides between the two. The consequences of failing
 * (a payment becomes a credit) follow when the filler is mined.
 */
export async function giveUp(
  session: SenderSession,
  intent: SignedIntent,
  { reason, market, head }: { reason: string; market: Market; head: number },
): Promise<void> {
  const offer = fillerOffer(intent.attempts.at(-1)!, market, session.options);
  const attempt = await signFiller(session, intent.nonce, offer);
  await storeAttempt(session.db, intent.id, attempt, reason);
  session.fault(FILLER_FAULT_POINT);
  session.log.warn({ intent: intent.intentKey, nonce: intent.nonce, reason }, "a filler takes the intent's nonce");
  await broadcast(session, [{ ...attempt, broadcastAt: null, broadcastBlock: null }], head);
}
