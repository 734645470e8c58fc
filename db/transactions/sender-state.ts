/** The sending account: the cost of transactions, pending and done, and its published state. */
import type { Address } from "../../core/agents/facts.ts";
import { TRANSFER_GAS } from "../../core/transactions/gas-bounds.ts";
import { bool, int4, narrow, nullable, numeric, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

const COMMITTED = statement({
  name: "sender-committed",
  params: { sender: text },
  text: `
    select coalesce(sum(cost), 0) as wei from (
      select greatest(i.value_wei + i.gas_limit * max(a.max_fee_per_gas_wei) filter (where not a.filler),
                      ${TRANSFER_GAS} * max(a.max_fee_per_gas_wei) filter (where a.filler)) as cost
      from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
      where i.state = 'signed' and i.sender = $sender group by i.id) costs`,
  columns: { wei: numeric },
});

/** Wei that transactions under way may still cost. */
export const committedWei = async (db: Queryable, sender: Address): Promise<bigint> =>
  BigInt((await COMMITTED.one(db, { sender })).wei);

const WAITING = statement({
  name: "sender-waiting-use",
  params: { sender: text, since: timestamptz },
  text: `
    select
      (select count(*)::int4 from offchain.transaction_outbox where state = 'signed' and waits and sender = $sender) as open,
      (select coalesce(sum(cost_wei), 0) from offchain.transaction_outbox
       where mined_at >= $since and cost_wei is not null and waits) +
      (select coalesce(sum(cost), 0) from (
         select i.gas_limit * max(a.max_fee_per_gas_wei) as cost
         from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
         where i.state = 'signed' and i.waits and i.sender = $sender group by i.id) costs) as wei`,
  columns: { open: int4, wei: numeric },
});

/** Low-priority transactions: the number under way, their cost so far and their max further cost in wei. */
export async function waitingUse(
  db: Queryable,
  sender: Address,
  since: Date,
): Promise<{ open: number; costWei: bigint }> {
  const { open, wei } = await WAITING.one(db, { sender, since });
  return { open, costWei: BigInt(wei) };
}

const SPENT = statement({
  name: "sender-spent",
  params: { since: timestamptz },
  text: `
    select coalesce(sum(cost_wei), 0) as wei from offchain.transaction_outbox
    where mined_at >= $since and cost_wei is not null`,
  columns: { wei: numeric },
});

/** Wei that transactions mined since have cost, fees and values. */
export const spentSince = async (db: Queryable, since: Date): Promise<bigint> =>
  BigInt((await SPENT.one(db, { since })).wei);

export type SenderState = {
  address: Address;
  balanceWei: bigint;
  funded: boolean;
  checkedAt: Date;
  /** Wei that transactions have cost since midnight (UTC). */
  spentWei: bigint;
  /** Max wei that they may cost until the next midnight; 0n = no limit. */
  budgetWei: bigint;
  /** Time until which nothing new is signed because the budget is used up; null = it is not. */
  pausedUntil: Date | null;
};

const STATE = statement({
  name: "sender-state",
  text: `
    select address, balance_wei as "balanceWei", funded, checked_at as "checkedAt", spent_wei as "spentWei",
           budget_wei as "budgetWei", paused_until as "pausedUntil" from offchain.sender_state`,
  columns: {
    address: narrow<Address>(text),
    balanceWei: numeric,
    funded: bool,
    checkedAt: timestamptz,
    spentWei: numeric,
    budgetWei: numeric,
    pausedUntil: nullable(timestamptz),
  },
});

/** The last state that the sender published of its account; null before its first run. */
export async function senderState(db: Queryable): Promise<SenderState | null> {
  const row = await STATE.maybeOne(db);
  if (!row) return null;
  const { balanceWei, spentWei, budgetWei } = row;
  return { ...row, balanceWei: BigInt(balanceWei), spentWei: BigInt(spentWei), budgetWei: BigInt(budgetWei) };
}

const STORE_STATE = statement({
  name: "sender-store-state",
  params: {
    address: text,
    balanceWei: numeric,
    funded: bool,
    checkedAt: timestamptz,
    spentWei: numeric,
    budgetWei: numeric,
    pausedUntil: nullable(timestamptz),
  },
  text: `
    insert into offchain.sender_state
      (address, balance_wei, funded, checked_at, spent_wei, budget_wei, paused_until)
    values ($address, $balanceWei, $funded, $checkedAt, $spentWei, $budgetWei, $pausedUntil)
    on conflict (one) do update set address = $address, balance_wei = $balanceWei, funded = $funded,
      checked_at = $checkedAt, spent_wei = $spentWei, budget_wei = $budgetWei, paused_until = $pausedUntil`,
});

export async function storeSenderState(
  db: Queryable,
  state: Omit<SenderState, "spentWei" | "budgetWei" | "pausedUntil"> &
    Partial<Pick<SenderState, "spentWei" | "budgetWei" | "pausedUntil">>,
): Promise<void> {
  await STORE_STATE.run(db, { spentWei: 0n, budgetWei: 0n, pausedUntil: null, ...state });
}
