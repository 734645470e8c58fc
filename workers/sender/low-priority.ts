/** How much of the account transactions may use that let all others go first. */
import { waitingUse } from "../../db/sender-state.ts";
import { type Budget, dayOf } from "./budget.ts";
import type { Funds } from "./funds.ts";
import type { SenderSession } from "./session.ts";

/** What may be signed now: so many transactions, for so much. */
export type Room = { transactions: number; wei: bigint };

/** Most transactions under way at once that let all others go first: those that come meanwhile wait for few of them. */
const WAITING_AT_ONCE = 16;
/** They may use this part of the day's budget: a token's URI costs a fifth of its registration, or less. */
const WAITING_SHARE = 5n;

/**
 * Room for transactions that let all others go first. They leave four fifths of the day's budget to the others, and the
 * balance below which new writes would be refused.
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
