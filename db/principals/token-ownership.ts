/** Whether a token is still held by whoever showed that it is: by the index, so that a reorganisation takes nothing for good. */
import type { Address } from "../../core/facts.ts";
import type { Queryable } from "../transaction.ts";

/**
 * SQL of how often a token was transferred, its mint included. A transfer away and back counts twice, so what was tied to
 * the number before it stays undone; when a reorganisation takes the transfer back, the number is the old one again.
 * @param identity SQL of the identity contract's address
 */
export const transferCount = (tokenId: string, identity: string) =>
  `(select count(*) from onchain.transfer x where x.contract = ${identity} and x.token_id = ${tokenId}::numeric)`;

/** SQL condition that the wallet of a row (`token_id`, `token_transfers`, `wallet`) has held its token all along. */
export const holdsToken = (row: string, identity: string) => `
  exists (select from onchain.agent held where held.token_id = ${row}.token_id and held.owner = ${row}.wallet
          and ${row}.token_transfers = ${transferCount(`${row}.token_id`, identity)})`;

export type Holding = { owner: Address; transfers: number };

/** Who holds a token, and how often it was transferred by now; null when there is no such token. */
export async function holdingOf(db: Queryable, tokenId: number, identity: Address): Promise<Holding | null> {
  const { rows } = await db.query<{ owner: Address; transfers: string }>({
    name: "principals-holding",
    text: `select a.owner, ${transferCount("a.token_id", "$2")} as transfers from onchain.agent a where a.token_id = $1`,
    values: [tokenId, identity],
  });
  return rows[0] ? { owner: rows[0].owner, transfers: Number(rows[0].transfers) } : null;
}

/** Which of these token ids are no agents. */
export async function unknownTokens(db: Queryable, tokenIds: readonly number[]): Promise<number[]> {
  if (tokenIds.length === 0) return [];
  const { rows } = await db.query<{ token_id: string }>({
    name: "principals-unknown-tokens",
    text: `select token_id from unnest($1::int8[]) as asked(token_id)
           where not exists (select from onchain.agent a where a.token_id = asked.token_id)`,
    values: [tokenIds],
  });
  return rows.map((row) => Number(row.token_id));
}
