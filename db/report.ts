/** What a report adds to an agent's facts: its latest transactions. */
import type { Address, Hex } from "../core/facts.ts";
import type { Queryable } from "./transaction.ts";

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

/** The newest transactions of an agent, newest first. */
export async function recentTransactions(db: Queryable, tokenId: number, limit: number): Promise<AgentTransaction[]> {
  const { rows } = await db.query({
    name: "report-transactions",
    text: `
      select hash, "from", "to", value_wei, mined_at, selector from onchain.agent_transaction
      where token_id = $1 order by block desc, transaction_index desc limit $2`,
    values: [tokenId, limit],
  });
  return rows.map((row) => ({
    hash: row.hash,
    from: row.from,
    to: row.to,
    valueWei: BigInt(row.value_wei),
    minedAt: Number(row.mined_at),
    selector: row.selector,
  }));
}
