/** The limits of low-priority transactions, which are sent only when no other transaction is queued. */
import { waitingUse } from "../../../db/transactions/sender-state.ts";
import { type Budget, dayOf } from "./budget.ts";
import type { Funds } from "./funds.ts";
import type { SenderSession } from "./session.ts";

/** Max number and max cost in wei of the transactions that may be signed now. */
export type Room = { transactions: number; wei: bigint };

/** Max low-priority transactions under way: other transactions wait behind few of them. */
const WAITING_AT_ONCE = 16;
/** Their share of the day's budget: a token's URI costs at most a fifth of its registration. */
const WAITING_SHARE = 5n;

/**
 * The room for low-priority transactions. They leave to the others four fifths of the day's budget, and the balance below
 * which new writes would be refused.
 */
export async function roomForWaiting(
  { db, signer, clock, options }: SenderSession,
  { room, funds, budget }: { room: number; funds: Funds; budget: Budget },
): Promise<Room> {
  const { open, costWei } = await waitingUse(db, signer.address, new Date(dayOf(clock())));
  const limits = [funds.spendableWei - options.minBalanceWei];
  if (budget.leftWei !== null)
    limits.push(options.dailyBudgetWei / WAITING_SHARE - costWei, budget.leftWei - funds.committedWei);
  const [wei = 0n] = limits.sort((a, b) => (a < b ? -1 : 1));
  return { transactions: Math.min(room, WAITING_AT_ONCE - open), wei };
}
