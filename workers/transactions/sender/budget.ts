/** The day's budget: the max cost of transactions between two midnights (UTC), its shares, and when it is used up. */
import { SHARE_DIVISORS } from "../../../core/transactions/free-gas.ts";
import { type ClassUse, type DayUse, dayUse } from "../../../db/transactions/sender-state.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import type { SenderSession } from "./session.ts";

const DAY_MS = 86_400_000;

/**
 * `spentWei`: cost of what is mined; `committedWei`: max further cost of what is under way. `leftWei`: wei left for
 * today by `spentWei`; null without a limit. `shares`: what they have used, what is under way included, and what they
 * still allow.
 */
export type Budget = {
  spentWei: bigint;
  committedWei: bigint;
  leftWei: bigint | null;
  shares: Record<keyof typeof SHARE_DIVISORS, { usedWei: bigint; leftWei: bigint | null; open: number }>;
  endsAt: Date;
};

export async function readBudget({ db, clock, signer, options }: SenderSession): Promise<Budget> {
  const day = Math.floor(clock().getTime() / DAY_MS) * DAY_MS;
  const use = await dayUse(db, signer.address, new Date(day));
  return budgetOf(use, options.dailyBudgetWei, new Date(day + DAY_MS));
}

function budgetOf(use: DayUse, limit: bigint, endsAt: Date): Budget {
  const { kept, known, newcomer, waiting } = use;
  const sum = (classes: ClassUse[], part: (use: ClassUse) => bigint) =>
    classes.reduce((all, one) => all + part(one), 0n);
  const all = [kept, known, newcomer, waiting];
  const spentWei = sum(all, (one) => one.spentWei);
  const share = (name: keyof typeof SHARE_DIVISORS, ...classes: ClassUse[]) => {
    const usedWei = sum(classes, (one) => one.spentWei + one.committedWei);
    const leftWei = limit === 0n ? null : limit / SHARE_DIVISORS[name] - usedWei;
    return { usedWei, leftWei, open: classes.reduce((open, one) => open + one.open, 0) };
  };
  return {
    spentWei,
    committedWei: sum(all, (one) => one.committedWei),
    leftWei: limit === 0n ? null : limit - spentWei,
    shares: {
      free: share("free", known, newcomer),
      newcomers: share("newcomers", newcomer),
      waiting: share("waiting", waiting),
    },
    endsAt,
  };
}

/**
 * The intents without the free ones that their shares do not allow now: these wait, and no other intent waits for them.
 * @param intents in their order: none of a share overtakes one that is too expensive for it
 * @param feeWei max fee per gas of an offer
 */
export function withinShares(
  intents: readonly Intent[],
  { shares }: Budget,
  gasBound: (intent: Intent) => bigint,
  feeWei: bigint,
): readonly Intent[] {
  let [free, newcomers] = [shares.free.leftWei, shares.newcomers.leftWei];
  if (free === null || newcomers === null) return intents;
  const allowed: Intent[] = [];
  for (const intent of intents) {
    const wei = intent.free === null ? 0n : gasBound(intent) * feeWei + intent.valueWei;
    free -= wei;
    if (intent.free === "newcomer") newcomers -= wei;
    if (intent.free === null || (free >= 0n && (intent.free === "known" || newcomers >= 0n))) allowed.push(intent);
  }
  return allowed;
}
