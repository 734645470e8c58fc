/** signed → mined or reverted: reads receipts, broadcasts again, raises stuck offers, finds nonces that others used, closes gaps. */
import { Failure } from "../../../core/errors.ts";
import { firstBlockWhere } from "../../../core/first-block.ts";
import { TRANSFER_GAS } from "../../../core/transactions/gas-bounds.ts";
import { canBeIncluded, firstOffer, type Market, nextOffer } from "../../../core/transactions/transaction-fees.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import {
  requeue,
  type SignedIntent,
  signedIntents,
  storeAttempt,
  storeFiller,
  type TransactionAttempt,
} from "../../../db/transactions/signed-transactions.ts";
import { queuedIntents } from "../../../db/transactions/transaction-outbox.ts";
import { span } from "../../../runtime/tracing.ts";
import { effectOf } from "../intents.ts";
import { broadcast } from "./broadcast.ts";
import { conclude, isGap } from "./conclude.ts";
import { endIntent, giveUp, signFiller } from "./give-up.ts";
import type { SenderSession } from "./session.ts";
import { signAttempt } from "./sign.ts";

/** Blocks for which nodes without an archive keep an account's nonce (geth keeps 128 states). */
const STATE_BLOCKS = 120;

/**
 * Proof that another transaction used a nonce of the sender, so that the sender's own can never be mined.
 * Whether another transaction used the intent's nonce, at least `confirmations` deep. A missing receipt proves nothing
 * (a node may lag behind another), so this finds and reads the block in which the nonce was used. Only when that block is
 * older than the states that nodes keep, the absence of every receipt is the proof: no node lags that far.
 */
async function usedByAnother(session: SenderSession, intent: SignedIntent, head: number): Promise<boolean> {
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

/** Blocks after which a transaction that could have been included counts as stuck. */
const STUCK_BLOCKS = 3;

/**
 * Checks all intents under way once.
 * One item: an effect that throws is caught by itself, and tried again.
 * @param usedNonces transactions of the account in blocks: every lower nonce is used, by the sender or by another process
 * @returns number of intents still under way
 */
export async function track(session: SenderSession, head: number, usedNonces: number): Promise<number> {
  const signed = await signedIntents(session.db, session.signer.address);
  const decided = signed.filter((intent) => intent.nonce < usedNonces);
  const waiting = signed.filter((intent) => intent.nonce >= usedNonces);
  let open = waiting.length;
  for (const intent of decided) {
    try {
      if (!(await settle(session, intent, head))) open++;
    } catch (error) {
      // An intent whose consequences cannot be stored must not delay the others; the next round tries it again.
      if (error instanceof Failure) throw error;
      session.log.error({ intent: intent.intentKey, error }, "the receipt of a transaction could not be stored");
      open++;
    }
  }
  await closeGaps(session, waiting, { head, usedNonces });
  let fees: Market | undefined;
  const market = async () => (fees ??= await session.chain.fees());
  noteFront(session, waiting[0], { head, usedNonces });
  for (const intent of waiting) {
    const last = intent.attempts.at(-1)!;
    if (await holdsUpOthers(session, intent, { waiting, head, market })) {
      await giveUp(session, intent, { reason: "no block took it in time", market: await market(), head });
      continue;
    }
    const sentAt = session.sentAt.get(last.hash);
    const isDue = sentAt === undefined || session.clock().getTime() - sentAt >= session.options.rebroadcastMs;
    const isLate = isStuck(session, last, head);
    if ((isDue || isLate) && canBeGivenUp(intent)) {
      const outdated = await effectOf(intent.intentKey, session.options.effects)?.outdated?.(session, intent);
      if (outdated) {
        await giveUp(session, intent, { reason: outdated, market: await market(), head });
        continue;
      }
    }
    if (isLate) {
      // Only the first one's wait shows a low offer; the others wait for it.
      const matters = intent.nonce === usedNonces || !canBeIncluded(last, await market());
      if (matters && (await replace(session, intent, await market(), head))) continue;
    }
    if (isDue) {
      const refused = (await broadcast(session, [last], head)).get(last.hash);
      if (refused !== undefined && canBeGivenUp(intent))
        await giveUp(session, intent, { reason: `the network refuses it: ${refused}`, market: await market(), head });
    }
  }
  return open;
}

/** Records since when the first transaction under way is the one that the others wait for. */
function noteFront(
  session: SenderSession,
  first: SignedIntent | undefined,
  { head, usedNonces }: { head: number; usedNonces: number },
): void {
  if (first?.nonce !== usedNonces) session.front = undefined;
  else if (session.front?.nonce !== first.nonce)
    session.front = { nonce: first.nonce, at: session.clock().getTime(), block: head };
}

/** A filler is not replaced by another one; its fee is raised. */
const canBeGivenUp = ({ intentKey, attempts }: SignedIntent): boolean => !isGap(intentKey) && !attempts.at(-1)!.filler;

/**
 * Whether an intent has delayed others for longer than `options.holdMs`, although blocks came that could have
 * contained them. While the base fee is above the max offer, the market delays all of them, a filler included.
 */
async function holdsUpOthers(
  { db, clock, options, front }: SenderSession,
  intent: SignedIntent,
  { waiting, head, market }: { waiting: SignedIntent[]; head: number; market: () => Promise<Market> },
): Promise<boolean> {
  if (front?.nonce !== intent.nonce || !canBeGivenUp(intent)) return false;
  if (clock().getTime() - front.at < options.holdMs || head - front.block < STUCK_BLOCKS) return false;
  const othersWait = waiting.length > 1 || (await queuedIntents(db, 1)).length > 0;
  return othersWait && canBeIncluded(firstOffer(await market(), options), await market());
}

/**
 * Ends an intent whose nonce is used.
 * Check then write: a receipt, or the nonce used by another, then receipt and effect, or `requeue`; it may be settled
 * before, or reorganised: guarded update on `signed` with the effect in the same commit (`conclude`), and 15
 * confirmations before a nonce counts as another's.
 * @returns false while the outcome is uncertain
 */
async function settle(session: SenderSession, intent: SignedIntent, head: number): Promise<boolean> {
  const receipts = await Promise.all(intent.attempts.map((attempt) => session.chain.receipt(attempt.hash)));
  const receipt = receipts.find((receipt) => receipt !== null);
  if (receipt) {
    session.fault("sender.after-receipt");
    await span("transaction conclude", { kind: "consumer", parent: intent.trace, root: true }, () =>
      conclude(session, intent, receipt),
    );
    return true;
  }
  if (!(await usedByAnother(session, intent, head))) return false;
  if (!canBeGivenUp(intent)) {
    await endIntent(session, intent, intent.error ?? "the nonce was used by another transaction");
    return true;
  }
  session.log.warn(
    { intent: intent.intentKey, nonce: intent.nonce },
    "another transaction used the nonce; signing anew",
  );
  await requeue(session.db, { intentId: intent.id });
  return false;
}

function isStuck({ clock, options }: SenderSession, attempt: TransactionAttempt, head: number): boolean {
  if (attempt.broadcastAt === null || attempt.broadcastBlock === null) return false;
  const blocks = head - attempt.broadcastBlock;
  const waitedMs = clock().getTime() - attempt.broadcastAt.getTime();
  // Without new blocks, a higher offer has no effect.
  return blocks >= STUCK_BLOCKS || (blocks >= 1 && waitedMs >= options.stuckAfterMs);
}

/**
 * Signs a higher offer at the same nonce.
 * Check then write: stuck, refused or in the way of others, then another attempt, or a filler (`giveUp`); the first
 * bytes may be mined: it is the same nonce, so the chain takes one of them.
 * @returns false when the max fee is reached: then the old bytes stay
 */
async function replace(session: SenderSession, intent: SignedIntent, market: Market, head: number): Promise<boolean> {
  const last = intent.attempts.at(-1)!;
  const offer = nextOffer(last, market, session.options);
  if (!offer) {
    session.log.warn(
      { intent: intent.intentKey, nonce: intent.nonce },
      "stuck, and the caps of fee and tip allow no higher offer",
    );
    return false;
  }
  const attempt = last.filler
    ? await signFiller(session, intent.nonce, offer)
    : await signAttempt(session, intent, offer);
  await storeAttempt(session.db, intent.id, attempt);
  session.fault("sender.after-sign");
  session.log.info({ intent: intent.intentKey, nonce: intent.nonce, hash: attempt.hash }, "stuck transaction replaced");
  await broadcast(session, [{ ...attempt, broadcastAt: null, broadcastBlock: null }], head);
  return true;
}

/**
 * Nonce gaps: an unused nonce blocks every later one, so an empty transfer of the account to itself uses it.
 * Fills each unused nonce below the sender's last one after `stuckAfterMs`. A gap appears when the sender counted a
 * pending transaction of another process, and that transaction then disappeared. Transactions behind the gap cannot be
 * signed again with the free nonce: their first bytes stay valid, and both would be mined.
 * Check then write: no transaction of ours has the nonce, then `storeFiller`; an intent may take it: `not exists` in
 * the insert, and (sender, nonce) is unique.
 */
async function closeGaps(
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
