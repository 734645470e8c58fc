/**
 * Gas funds: the wei that the account may still commit, and the flag by which the API refuses new writes in time.
 * Check then write: balance and sum of costs, then `sender_state` and what may be signed (budget.ts); a payment may
 * come in: there is one writer, and a transaction in flight counts at its highest fee.
 */
import { committedWei, storeSenderState } from "../../../db/transactions/sender-state.ts";
import type { Budget } from "./budget.ts";
import type { SenderSession } from "./session.ts";

/** The account's balance, the max cost of transactions under way, and the difference, in wei. */
export type Funds = { balanceWei: bigint; committedWei: bigint; spendableWei: bigint };

export async function readFunds({ db, chain, signer }: SenderSession): Promise<Funds> {
  const balanceWei = await chain.balance(signer.address);
  const committed = await committedWei(db, signer.address);
  return { balanceWei, committedWei: committed, spendableWei: balanceWei - committed };
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
  { spentWei }: Budget,
): Promise<void> {
  const { db, signer, clock, options, published, pausedUntil, log } = session;
  const funded = balanceWei >= options.minBalanceWei && spendableWei >= 0n && !session.unfunded;
  const now = clock();
  const same = published?.funded === funded && published.pausedUntil?.getTime() === pausedUntil?.getTime();
  if (same && now.getTime() - published.at < REPEAT_MS) return;
  if (published && published.funded !== funded) log.warn({ funded, balanceWei }, "gas funds changed");
  const budgetWei = options.dailyBudgetWei;
  const state = { address: signer.address, balanceWei, funded, checkedAt: now, spentWei, budgetWei, pausedUntil };
  await storeSenderState(db, state);
  session.published = { funded, pausedUntil, at: now.getTime() };
}
