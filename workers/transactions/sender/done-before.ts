/** queued → mined without a transaction of its own: work that is on the chain already, after a restore of an older database. */
import type { Hex } from "../../../core/agents/facts.ts";
import { Failure } from "../../../core/errors.ts";
import { type SignedIntent, takeOver } from "../../../db/transactions/signed-transactions.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import { effectOf } from "../intents.ts";
import { conclude } from "./conclude.ts";
import type { SenderSession } from "./session.ts";

/**
 * Ends the intents whose work an earlier transaction of the sender has done, each as if its receipt had just arrived.
 * @returns the intents that may be signed
 * @throws Failure upstream_unavailable
 */
export async function withoutDone(session: SenderSession, intents: readonly Intent[], head: number): Promise<Intent[]> {
  const { db, chain, options, log } = session;
  const open = new Set<Intent>();
  const byPrefix = Map.groupBy(intents, ({ intentKey }) => effectOf(intentKey, options.effects));
  for (const [effect, group] of byPrefix) {
    const done = effect?.doneBefore ? await effect.doneBefore({ db, chain, head }, group) : new Map<number, Hex>();
    if (done === null)
      log.error({ waiting: group.length }, "the index is too far behind to know which mints are on the chain already");
    else for (const intent of group) if (!(await isDone(session, intent, done.get(intent.id)))) open.add(intent);
  }
  return intents.filter((intent) => open.has(intent));
}

/** An intent that cannot be ended waits for the next round and does not stop the others. */
async function isDone(session: SenderSession, intent: Intent, hash: Hex | undefined): Promise<boolean> {
  try {
    return await adopt(session, intent, hash);
  } catch (error) {
    if (error instanceof Failure) throw error;
    session.log.error({ err: error, intent: intent.intentKey, hash }, "an earlier transaction could not be taken over");
    return true;
  }
}

/**
 * Check then write: no earlier mint of ours is in the chain (minted-before.ts), then sign, or take the earlier one
 * over; a reorganisation may come: takeover and receipt are one commit, which needs the state `queued` again. Ours is a
 * successful call of `mintFor` at the contract itself, which only its owner can make.
 * @returns whether the intent has ended with that transaction, or waits for it
 */
async function adopt(session: SenderSession, intent: Intent, hash: Hex | undefined): Promise<boolean> {
  if (hash === undefined) return false;
  const { chain, log } = session;
  const [receipt, transaction] = await Promise.all([chain.receipt(hash), chain.transaction(hash)]);
  // One of two nodes knows the transaction: nothing is signed before the other one does.
  if (receipt === null || receipt.status !== "success" || transaction === null) return true;
  log.warn({ intent: intent.intentKey, hash }, "an earlier transaction has done this already");
  const { from: sender, nonce } = transaction;
  const signed: SignedIntent = { ...intent, nonce, gasLimit: 0n, attempts: [] as never };
  await conclude(session, signed, receipt, (tx) => takeOver(tx, intent.id, { sender, nonce }));
  return true;
}
