/** The limits of low-priority transactions, which are sent only when no other transaction is queued. */
import type { Budget } from "./budget.ts";
import type { Funds } from "./funds.ts";
import type { SenderSession } from "./session.ts";

/** Max number and max cost in wei of the transactions that may be signed now. */
export type Room = { transactions: number; wei: bigint };

/** Max low-priority transactions under way: other transactions wait behind few of them. */
const WAITING_AT_ONCE = 16;

/**
 * The room for low-priority transactions: their share of the day's budget, and the balance above which new writes are
 * accepted. A token's URI costs at most a fifth of its registration.
 */
export function roomForWaiting(
  { options }: SenderSession,
  { room, funds, budget }: { room: number; funds: Funds; budget: Budget },
): Room {
  const { leftWei, open } = budget.shares.waiting;
  const limits = [funds.spendableWei - options.minBalanceWei];
  if (leftWei !== null && budget.leftWei !== null) limits.push(leftWei, budget.leftWei - budget.committedWei);
  const [wei = 0n] = limits.sort((a, b) => (a < b ? -1 : 1));
  return { transactions: Math.min(room, WAITING_AT_ONCE - open), wei };
}
