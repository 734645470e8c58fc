/** The day's budget: what transactions may cost between two midnights (UTC), and when it is used up. */
import { spentSince, waitingUse } from "../../db/sender-state.ts";
import type { Funds } from "./funds.ts";
import type { SenderSession } from "./session.ts";

const DAY_MS = 86_400_000;

/** `leftWei`: what may still be spent today; null without a limit. */
export type Budget = { spentWei: bigint; leftWei: bigint | null; endsAt: Date };

const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS) * DAY_MS;

export async function readBudget({ db, clock, options }: SenderSession): Promise<Budget> {
  const day = dayOf(clock());
  const spentWei = await spentSince(db, new Date(day));
  const limit = options.dailyBudgetWei;
  return { spentWei, leftWei: limit === 0n ? null : limit - spentWei, endsAt: new Date(day + DAY_MS) };
}

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
