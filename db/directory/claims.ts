/**
 * What strangers say about an agent's token: kept apart, shown as claimed, never ranked by.
 * Check then write: the row is found, then the upsert; the row may go, its token change: `where` in the insert (0 rows:
 * 404), and rows are joined by token when it is written.
 * Bound: claims of tokens, one for each agent; quotes of tokens without a claim stay.
 */
import { statement, t } from "../sql/statement.ts";
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
export const claimToken = statement({
  name: "directory-claim",
  given: (id: number, claim: TokenClaim, now: Date) => ({ ...claim, id, now }),
  params: {
    id: t.int8,
    tokenAddress: t.optional(t.text),
    tokenSymbol: t.optional(t.text),
    tokenName: t.optional(t.text),
    marketCapUsd: t.optional(t.float8),
    now: t.timestamptz,
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
}).run;
