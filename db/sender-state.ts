/** The sending account: what transactions may still cost, what they have cost, and what is published of it. */
import type { Address } from "../core/facts.ts";
import { TRANSFER_GAS } from "../core/gas-bounds.ts";
import type { Queryable } from "./transaction.ts";

/** Wei that transactions under way may still cost. */
export async function committedWei(db: Queryable, sender: Address): Promise<bigint> {
  const { rows } = await db.query(
    `select coalesce(sum(cost), 0) as wei from (
       select greatest(i.value_wei + i.gas_limit * max(a.max_fee_per_gas_wei) filter (where not a.filler),
                       ${TRANSFER_GAS} * max(a.max_fee_per_gas_wei) filter (where a.filler)) as cost
       from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
       where i.state = 'signed' and i.sender = $1 group by i.id) costs`,
    [sender],
  );
  return BigInt(rows[0].wei);
}

/** Of the transactions that let all others go first: how many are under way, and what they have cost and may still cost. */
export async function waitingUse(
  db: Queryable,
  sender: Address,
  since: Date,
): Promise<{ open: number; costWei: bigint }> {
  const { rows } = await db.query(
    `select
       (select count(*)::int4 from offchain.transaction_outbox where state = 'signed' and waits and sender = $1) as open,
       (select coalesce(sum(cost_wei), 0) from offchain.transaction_outbox
        where mined_at >= $2 and cost_wei is not null and waits) +
       (select coalesce(sum(cost), 0) from (
          select i.gas_limit * max(a.max_fee_per_gas_wei) as cost
          from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
          where i.state = 'signed' and i.waits and i.sender = $1 group by i.id) costs) as wei`,
    [sender, since],
  );
  return { open: rows[0].open, costWei: BigInt(rows[0].wei) };
}

/** Wei that transactions mined since have cost, fees and values. */
export async function spentSince(db: Queryable, since: Date): Promise<bigint> {
  const { rows } = await db.query(
    "select coalesce(sum(cost_wei), 0) as wei from offchain.transaction_outbox where mined_at >= $1 and cost_wei is not null",
    [since],
  );
  return BigInt(rows[0].wei);
}

export type SenderState = {
  address: Address;
  balanceWei: bigint;
  funded: boolean;
  checkedAt: Date;
  /** What transactions have cost since midnight (UTC). */
  spentWei: bigint;
  /** What they may cost until the next; 0n = no limit. */
  budgetWei: bigint;
  /** Until when nothing new is signed because the budget is used up; null = it is not. */
  pausedUntil: Date | null;
};

/** What the sender last found out about its account; null before it ever ran. */
export async function senderState(db: Queryable): Promise<SenderState | null> {
  const { rows } = await db.query(
    `select address, balance_wei as "balanceWei", funded, checked_at as "checkedAt", spent_wei as "spentWei",
            budget_wei as "budgetWei", paused_until as "pausedUntil" from offchain.sender_state`,
  );
  const [row] = rows;
  if (!row) return null;
  const { balanceWei, spentWei, budgetWei } = row;
  return { ...row, balanceWei: BigInt(balanceWei), spentWei: BigInt(spentWei), budgetWei: BigInt(budgetWei) };
}

export async function storeSenderState(
  db: Queryable,
  state: Omit<SenderState, "spentWei" | "budgetWei" | "pausedUntil"> &
    Partial<Pick<SenderState, "spentWei" | "budgetWei" | "pausedUntil">>,
): Promise<void> {
  const { address, balanceWei, funded, checkedAt, spentWei = 0n, budgetWei = 0n, pausedUntil = null } = state;
  await db.query(
    `insert into offchain.sender_state
       (address, balance_wei, funded, checked_at, spent_wei, budget_wei, paused_until) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (one) do update set address = $1, balance_wei = $2, funded = $3, checked_at = $4, spent_wei = $5,
       budget_wei = $6, paused_until = $7`,
    [address, String(balanceWei), funded, checkedAt, String(spentWei), String(budgetWei), pausedUntil],
  );
}
