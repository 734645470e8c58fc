/**
 * Gas funds: the wei that the account may still commit, and the flag by which the API refuses new writes in time.
 * Check then write: balance and sum of costs, then `sender_state` and what may be signed (budget.ts); a payment may
 * come in: there is one writer, and a transaction in flight counts at its highest fee.
 */
import { storeSenderState } from "../../../db/transactions/sender-state.ts";
import type { Budget } from "./budget.ts";
import type { SenderSession } from "./session.ts";

/** The account's balance, and what of it no transaction under way may cost, in wei. */
export type Funds = { balanceWei: bigint; spendableWei: bigint };

export async function readFunds({ chain, signer }: SenderSession, { committedWei }: Budget): Promise<Funds> {
  const balanceWei = await chain.balance(signer.address);
  return { balanceWei, spendableWei: balanceWei - committedWei };
}

/** Milliseconds until an unchanged state is written again, as a heartbeat. */
const REPEAT_MS = 10_000;

/**
 * Publishes whether new writes may be accepted: the balance is at least the configured minimum, nothing queued or under
 * way waited for funds in this round, and the day's budget is not used up.
 */
export async function publishFunds(
  session: SenderSession,
  { balanceWei, spendableWei }: Funds,
  { spentWei, shares }: Budget,
): Promise<void> {
  const { db, signer, clock, options, published, pausedUntil, log } = session;
  const funded = balanceWei >= options.minBalanceWei && spendableWei >= 0n && !session.unfunded;
  const now = clock();
  const freeWei = shares.free.usedWei;
  const same =
    published?.funded === funded &&
    published.pausedUntil?.getTime() === pausedUntil?.getTime() &&
    published.freeWei === freeWei;
  if (same && now.getTime() - published.at < REPEAT_MS) return;
  if (published && published.funded !== funded) log.warn({ funded, balanceWei }, "gas funds changed");
  const budgetWei = options.dailyBudgetWei;
  await storeSenderState(db, {
    ...{ address: signer.address, balanceWei, funded, checkedAt: now, spentWei, budgetWei, pausedUntil, freeWei },
    ...{ newcomersWei: shares.newcomers.usedWei, feeWei: session.feeWei },
  });
  session.published = { funded, pausedUntil, freeWei, at: now.getTime() };
}
