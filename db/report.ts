/** What a report adds to an agent's facts: its latest transactions and its place among all agents. */
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

/** Rank 1 is best, ties share it. */
export type Standing = { rank: number; totalAgents: number };

/**
 * Where a score stands among all agents. Counted over stored scores alone: an index answers, and a score without an
 * agent exists only for the moment between a reorganisation and its retraction.
 */
export async function standingOf(db: Queryable, score: number): Promise<Standing> {
  const { rows } = await db.query({
    name: "report-standing",
    text: `
      select (select count(*) from offchain.cred where score > $1)::int8 + 1 as rank,
             (select count(*) from onchain.agent)::int8 as total`,
    values: [score],
  });
  return { rank: Number(rows[0].rank), totalAgents: Number(rows[0].total) };
}
