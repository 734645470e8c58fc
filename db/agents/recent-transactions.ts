/** The part of a report that is not in an agent's facts: its latest transactions. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { fieldsOf, int8, narrow, nullable, type RowOf, statement, text, uint256 } from "../sql/statement.ts";

/** A transaction in which something happened to an agent. */
const TRANSACTION = {
  hash: narrow<Hex>(text),
  /** Its sender. */
  from: narrow<Address>(text),
  /** Null when it created a contract. */
  to: nullable(narrow<Address>(text)),
  valueWei: uint256,
  /** Unix seconds. */
  minedAt: int8,
  /** First four bytes of its input; null without any. */
  selector: nullable(narrow<Hex>(text)),
};
export type AgentTransaction = RowOf<typeof TRANSACTION>;

/** The newest transactions of an agent, newest first. */
export const recentTransactions = statement({
  name: "report-transactions",
  given: (tokenId: number, limit: number) => ({ tokenId, limit }),
  params: { tokenId: int8, limit: int8 },
  text: `
    select ${fieldsOf(TRANSACTION, { of: "t", as: { from: 't."from"', to: 't."to"' } })} from onchain.agent_transaction t
    where t.token_id = $tokenId order by t.block desc, t.transaction_index desc limit $limit`,
  columns: TRANSACTION,
  prepared: true,
}).rows;
