/** The sending account: the cost of transactions, pending and done, and its published state. */
import type { Address } from "../../core/agents/facts.ts";
import { TRANSFER_GAS } from "../../core/transactions/gas-bounds.ts";
import { senderState as state } from "../schema/transactions.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** Classes of transactions: each has its share of the day's budget (core/transactions/free-gas.ts); `kept` may use all of it. */
type IntentClass = "kept" | "known" | "newcomer" | "waiting";
/** `spentWei`: fees and values of mined transactions; `committedWei`: what `open` ones under way may still cost. */
export type ClassUse = { spentWei: bigint; committedWei: bigint; open: number };
export type DayUse = Record<IntentClass, ClassUse>;

const CLASS = `case when i.waits then 'waiting' when i.free_for is null then 'kept'
  when i.free_known then 'known' else 'newcomer' end`;

const USE = statement({
  name: "sender-use",
  params: { sender: t.text, since: t.timestamptz },
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
  columns: { class: t.narrow<IntentClass>(t.text), spentWei: t.uint256, committedWei: t.uint256, open: t.int4 },
});

/** What transactions have cost since, and what those under way may still cost, by class. */
export async function dayUse(db: Queryable, sender: Address, since: Date): Promise<DayUse> {
  const rows = await USE.rows(db, { sender, since });
  const use = (name: IntentClass): ClassUse => {
    const { spentWei = 0n, committedWei = 0n, open = 0 } = rows.find((row) => row.class === name) ?? {};
    return { spentWei, committedWei, open };
  };
  return { kept: use("kept"), known: use("known"), newcomer: use("newcomer"), waiting: use("waiting") };
}

/** What the sender publishes of its account. */
const STATE = {
  ...columnsOf(state, { without: ["one"] }),
  ...{ balanceWei: t.uint256, spentWei: t.uint256, budgetWei: t.uint256 },
  ...{ freeWei: t.uint256, newcomersWei: t.uint256, feeWei: t.uint256 },
};
export type SenderState = t.RowOf<typeof STATE>;

/** The last state that the sender published of its account; null before its first run. */
export const senderState = statement({
  name: "sender-state",
  text: `select ${t.fieldsOf(STATE)} from offchain.sender_state`,
  columns: STATE,
}).maybeOne;

type Spending = Pick<SenderState, "spentWei" | "freeWei" | "newcomersWei" | "feeWei" | "budgetWei" | "pausedUntil">;
const UNSPENT: Spending = {
  ...{ spentWei: 0n, freeWei: 0n, newcomersWei: 0n, feeWei: 0n, budgetWei: 0n },
  pausedUntil: null,
};

export const storeSenderState = statement({
  name: "sender-store-state",
  given: (state: Omit<SenderState, keyof Spending> & Partial<Spending>) => ({ ...UNSPENT, ...state }),
  params: STATE,
  text: `
    insert into offchain.sender_state (${t.namesOf(STATE)}) values (${t.valuesOf(STATE)})
    on conflict (one) do update set ${t.excludedOf(STATE)}`,
}).run;
