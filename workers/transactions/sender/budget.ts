/** The day's budget: the max cost of transactions between two midnights (UTC), and when it is used up. */
import { spentSince } from "../../../db/transactions/sender-state.ts";
import type { SenderSession } from "./session.ts";

const DAY_MS = 86_400_000;

/** `leftWei`: wei left for today; null without a limit. */
export type Budget = { spentWei: bigint; leftWei: bigint | null; endsAt: Date };

/** Midnight (UTC) before a time, in milliseconds. */
export const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS) * DAY_MS;

export async function readBudget({ db, clock, options }: SenderSession): Promise<Budget> {
  const day = dayOf(clock());
  const spentWei = await spentSince(db, new Date(day));
  const limit = options.dailyBudgetWei;
  return { spentWei, leftWei: limit === 0n ? null : limit - spentWei, endsAt: new Date(day + DAY_MS) };
}
