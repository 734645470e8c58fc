/** What anybody may say about an agent's token: kept apart, shown as claimed, never ranked by. */
import type { Queryable } from "../transaction.ts";
import { touchRows } from "./write.ts";

export type TokenClaim = {
  /** Lower-case. */
  tokenAddress?: string | undefined;
  tokenSymbol?: string | undefined;
  tokenName?: string | undefined;
  marketCapUsd?: number | undefined;
};

/**
 * Stores a claim; what it leaves out stays as it was claimed before.
 * @returns how many rows of the directory it is about: 0 when the row is gone
 */
export async function claimToken(db: Queryable, directoryId: number, claim: TokenClaim, now: Date): Promise<number> {
  const { rowCount } = await db.query({
    name: "directory-claim",
    text: `
      with touched as (${touchRows("values ($1::int8)")})
      insert into offchain.directory_claim as c
        (directory_id, token_address, token_symbol, token_name, market_cap_usd, claimed_at)
      select d.id, $2, $3, $4, $5, $6 from offchain.directory d where d.id = $1 and d.removed_at is null
      on conflict (directory_id) do update set
        token_address = coalesce($2, c.token_address), token_symbol = coalesce($3, c.token_symbol),
        token_name = coalesce($4, c.token_name), market_cap_usd = coalesce($5, c.market_cap_usd), claimed_at = $6`,
    values: [
      directoryId,
      claim.tokenAddress ?? null,
      claim.tokenSymbol ?? null,
      claim.tokenName ?? null,
      claim.marketCapUsd ?? null,
      now,
    ],
  });
  return rowCount ?? 0;
}
