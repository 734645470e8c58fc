/** The part of a report that is not in an agent's facts: its latest transactions. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { int8, narrow, nullable, numeric, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

/** A transaction in which something happened to an agent. */
export type AgentTransaction = {
  hash: Hex;
  /** Its sender. */
  from: Address;
  /** Null when it created a contract. */
  to: Address | null;
  valueWei: bigint;
  /** Unix seconds. */
  minedAt: number;
  /** First four bytes of its input; null without any. */
  selector: Hex | null;
};

const NEWEST = statement({
  name: "report-transactions",
  params: { tokenId: int8, limit: int8 },
  text: `
    select hash, "from", "to", value_wei as "valueWei", mined_at as "minedAt", selector from onchain.agent_transaction
    where token_id = $tokenId order by block desc, transaction_index desc limit $limit`,
  columns: {
    hash: narrow<Hex>(text),
    from: narrow<Address>(text),
    to: nullable(narrow<Address>(text)),
    valueWei: numeric,
    minedAt: int8,
    selector: nullable(narrow<Hex>(text)),
  },
  prepared: true,
});

/** The newest transactions of an agent, newest first. */
export async function recentTransactions(db: Queryable, tokenId: number, limit: number): Promise<AgentTransaction[]> {
  const rows = await NEWEST.rows(db, { tokenId, limit });
  return rows.map((row) => ({ ...row, valueWei: BigInt(row.valueWei) }));
}
