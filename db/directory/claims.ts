/**
 * What strangers say about an agent's token: kept apart, shown as claimed, never ranked by.
 * Check then write: the row is found, then the upsert; the row may go, its token change: `where` in the insert (0 rows:
 * 404), and rows are joined by token when it is written.
 * Bound: claims of tokens, one for each agent; quotes of tokens without a claim stay.
 */
import { float8, int8, nullable, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { touchRows } from "./write.ts";

export type TokenClaim = {
  /** Lower-case. */
  tokenAddress?: string | undefined;
  tokenSymbol?: string | undefined;
  tokenName?: string | undefined;
  marketCapUsd?: number | undefined;
};

const CLAIM = statement({
  name: "directory-claim",
  params: {
    id: int8,
    tokenAddress: nullable(text),
    tokenSymbol: nullable(text),
    tokenName: nullable(text),
    marketCapUsd: nullable(float8),
    now: timestamptz,
  },
  text: `
    with touched as (${touchRows("values ($id::int8)")})
    insert into offchain.directory_claim as c
      (directory_id, token_address, token_symbol, token_name, market_cap_usd, claimed_at)
    select d.id, $tokenAddress, $tokenSymbol, $tokenName, $marketCapUsd, $now
    from offchain.directory d where d.id = $id and d.removed_at is null
    on conflict (directory_id) do update set
      token_address = coalesce($tokenAddress, c.token_address), token_symbol = coalesce($tokenSymbol, c.token_symbol),
      token_name = coalesce($tokenName, c.token_name), market_cap_usd = coalesce($marketCapUsd, c.market_cap_usd),
      claimed_at = $now`,
  prepared: true,
});

/**
 * Stores a claim; what it leaves out stays as it was claimed before.
 * @returns how many rows of the directory it is about: 0 when the row is gone
 */
export async function claimToken(db: Queryable, directoryId: number, claim: TokenClaim, now: Date): Promise<number> {
  const { tokenAddress = null, tokenSymbol = null, tokenName = null, marketCapUsd = null } = claim;
  return CLAIM.run(db, { id: directoryId, tokenAddress, tokenSymbol, tokenName, marketCapUsd, now });
}
