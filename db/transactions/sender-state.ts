/** The sending account: the cost of transactions, pending and done, and its published state. */
import type { Address } from "../../core/agents/facts.ts";
import { TRANSFER_GAS } from "../../core/transactions/gas-bounds.ts";
import { bool, int4, narrow, nullable, numeric, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

/** Classes of transactions: each has its share of the day's budget (core/transactions/free-gas.ts); `kept` may use all of it. */
type IntentClass = "kept" | "known" | "newcomer" | "waiting";
/** `spentWei`: fees and values of mined transactions; `committedWei`: what `open` ones under way may still cost. */
export type ClassUse = { spentWei: bigint; committedWei: bigint; open: number };
export type DayUse = Record<IntentClass, ClassUse>;

const CLASS = `case when i.waits then 'waiting' when i.free_for is null then 'kept'
  when i.free_known then 'known' else 'newcomer' end`;

const USE = statement({
  name: "sender-use",
  params: { sender: text, since: timestamptz },
  text: `
    select class, sum(spent) as "spentWei", sum(committed) as "committedWei", sum(open)::int4 as open from (
      select ${CLASS} as class, i.cost_wei as spent, 0 as committed, 0 as open from offchain.transaction_outbox i
      where i.mined_at >= $since and i.cost_wei is not null
      union all
      select ${CLASS}, 0, greatest(i.value_wei + i.gas_limit * max(a.max_fee_per_gas_wei) filter (where not a.filler),
                      ${TRANSFER_GAS} * max(a.max_fee_per_gas_wei) filter (where a.filler)), 1
      from offchain.transaction_outbox i join offchain.transaction_attempt a on a.intent_id = i.id and a.nonce = i.nonce
      where i.state = 'signed' and i.sender = $sender group by i.id) costs
    group by class`,
  columns: { class: narrow<IntentClass>(text), spentWei: numeric, committedWei: numeric, open: int4 },
});

/** What transactions have cost since, and what those under way may still cost, by class. */
export async function dayUse(db: Queryable, sender: Address, since: Date): Promise<DayUse> {
  const rows = await USE.rows(db, { sender, since });
  const use = (name: IntentClass): ClassUse => {
    const { spentWei = "0", committedWei = "0", open = 0 } = rows.find((row) => row.class === name) ?? {};
    return { spentWei: BigInt(spentWei), committedWei: BigInt(committedWei), open };
  };
  return { kept: use("kept"), known: use("known"), newcomer: use("newcomer"), waiting: use("waiting") };
}

export type SenderState = {
  address: Address;
  balanceWei: bigint;
  funded: boolean;
  checkedAt: Date;
  /** Wei that transactions have cost since midnight (UTC). */
  spentWei: bigint;
  /** Wei of free writes since then, with what is under way: all of them, and those of newcomers. */
  freeWei: bigint;
  newcomersWei: bigint;
  /** Max fee per gas of the newest offer, in wei; 0n = none yet. */
  feeWei: bigint;
  /** Max wei that they may cost until the next midnight; 0n = no limit. */
  budgetWei: bigint;
  /** Time until which nothing new is signed because the budget is used up; null = it is not. */
  pausedUntil: Date | null;
};

const STATE = statement({
  name: "sender-state",
  text: `
    select address, balance_wei as "balanceWei", funded, checked_at as "checkedAt", spent_wei as "spentWei",
           free_wei as "freeWei", newcomers_wei as "newcomersWei", fee_wei as "feeWei", budget_wei as "budgetWei", paused_until as "pausedUntil" from offchain.sender_state`,
  columns: {
    address: narrow<Address>(text),
    balanceWei: numeric,
    funded: bool,
    checkedAt: timestamptz,
    spentWei: numeric,
    freeWei: numeric,
    newcomersWei: numeric,
    feeWei: numeric,
    budgetWei: numeric,
    pausedUntil: nullable(timestamptz),
  },
});

/** The last state that the sender published of its account; null before its first run. */
export async function senderState(db: Queryable): Promise<SenderState | null> {
  const row = await STATE.maybeOne(db);
  if (!row) return null;
  const { balanceWei, spentWei, freeWei, newcomersWei, feeWei, budgetWei } = row;
  return {
    ...row,
    ...{ balanceWei: BigInt(balanceWei), spentWei: BigInt(spentWei), freeWei: BigInt(freeWei) },
    ...{ newcomersWei: BigInt(newcomersWei), feeWei: BigInt(feeWei), budgetWei: BigInt(budgetWei) },
  };
}

export const storeSenderState = statement({
  name: "sender-store-state",
  given: (state: Omit<SenderState, keyof Spending> & Partial<Spending>) => ({ ...UNSPENT, ...state }),
  params: {
    address: text,
    balanceWei: numeric,
    funded: bool,
    checkedAt: timestamptz,
    spentWei: numeric,
    freeWei: numeric,
    newcomersWei: numeric,
    feeWei: numeric,
    budgetWei: numeric,
    pausedUntil: nullable(timestamptz),
  },
  text: `
    insert into offchain.sender_state
      (address, balance_wei, funded, checked_at, spent_wei, free_wei, newcomers_wei, fee_wei, budget_wei, paused_until)
    values ($address, $balanceWei, $funded, $checkedAt, $spentWei, $freeWei, $newcomersWei, $feeWei, $budgetWei,
      $pausedUntil)
    on conflict (one) do update set address = $address, balance_wei = $balanceWei, funded = $funded,
      checked_at = $checkedAt, spent_wei = $spentWei, free_wei = $freeWei, newcomers_wei = $newcomersWei,
      fee_wei = $feeWei, budget_wei = $budgetWei, paused_until = $pausedUntil`,
}).run;

type Spending = Pick<SenderState, "spentWei" | "freeWei" | "newcomersWei" | "feeWei" | "budgetWei" | "pausedUntil">;
const UNSPENT: Spending = {
  ...{ spentWei: 0n, freeWei: 0n, newcomersWei: 0n, feeWei: 0n, budgetWei: 0n },
  pausedUntil: null,
};
