/** Agents by their wallets. */
import type { Address } from "../core/facts.ts";
import type { Queryable } from "./transaction.ts";

/** The agent of each of these wallets: the lowest token id that names it. Wallets without an agent are left out. */
export async function tokensOfWallets(db: Queryable, wallets: readonly Address[]): Promise<Map<Address, number>> {
  if (wallets.length === 0) return new Map();
  const { rows } = await db.query<{ agent_address: Address; token_id: string }>({
    name: "wallets-tokens",
    text: `
      select agent_address, min(token_id) as token_id from onchain.agent
      where agent_address = any($1) group by agent_address`,
    values: [wallets],
  });
  return new Map(rows.map((row) => [row.agent_address, Number(row.token_id)]));
}
