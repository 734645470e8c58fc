/** The part of a report that is not in an agent's facts: its latest transactions. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { statement, t } from "../sql/statement.ts";

/** A transaction in which something happened to an agent. */
const TRANSACTION = {
  hash: t.narrow<Hex>(t.text),
  /** Its sender. */
  from: t.narrow<Address>(t.text),
  /** Null when it created a contract. */
  to: t.nullable(t.narrow<Address>(t.text)),
  valueWei: t.uint256,
  /** Unix seconds. */
  minedAt: t.int8,
  /** First four bytes of its input; null without any. */
  selector: t.nullable(t.narrow<Hex>(t.text)),
};

/** The newest transactions of an agent, newest first. */
export const recentTransactions = statement({
  name: "report-transactions",
  given: (tokenId: number, limit: number) => ({ tokenId, limit }),
  params: { tokenId: t.int8, limit: t.int8 },
  text: `
    select ${t.fieldsOf(TRANSACTION, { of: "t", as: { from: 't."from"', to: 't."to"' } })} from onchain.agent_transaction t
    where t.token_id = $tokenId order by t.block desc, t.transaction_index desc limit $limit`,
  columns: TRANSACTION,
  prepared: true,
}).rows;
