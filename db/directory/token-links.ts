/** Tokens of agents that no registry names: who linked which, what ties it to that wallet, and what strangers claim. */
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { LAUNCHING_PLATFORMS } from "../../core/directory/platforms.ts";
import type { TokenTie } from "../../core/directory/token.ts";
import { statement, t } from "../sql/statement.ts";
import { transaction } from "../sql/transaction.ts";
import { showTokens } from "./markets.ts";
import { touchRows } from "./write.ts";

type TokenClaim = {
  /** Lower-case. */
  tokenAddress?: string | undefined;
  tokenSymbol?: string | undefined;
  tokenName?: string | undefined;
  marketCapUsd?: number | undefined;
};

/**
 * What strangers say about an agent's token: kept apart, shown as claimed, never ranked by. Check then write: the row
 * is found, then the upsert; the row may go, its token change: `where` in the insert (0 rows: 404), and rows are joined
 * by token when it is written. Bound: claims of tokens, one for each agent; quotes of tokens without a claim stay.
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

/** A token of the own chain, linked to an agent by its owner or wallet. Addresses are lower-case. */
export type TokenLink = { tokenId: number; token: Address; wallet: Address };

/** Remembers who linked a token; what ties it to that wallet is looked for from now on. Part of the caller's transaction. */
export const rememberLink = statement({
  name: "token-link-remember",
  given: (link: TokenLink, now: Date) => ({ ...link, now }),
  params: { tokenId: t.int8, token: t.text, wallet: t.text, now: t.timestamptz },
  text: `
    insert into offchain.token_link as l (token_id, token_address, wallet, due_at)
    values ($tokenId, $token, $wallet, $now)
    on conflict (token_id) do update set token_address = $token, wallet = $wallet, tie = null, due_at = $now
    where (l.token_address, l.wallet) <> ($token, $wallet)`,
}).run;

/** Links that are due for a check, those that have waited longest first. */
export const linksDue = statement({
  name: "token-links-due",
  params: { now: t.timestamptz, limit: t.int8 },
  text: `
    select token_id as "tokenId", token_address as token, wallet from offchain.token_link
    where due_at <= $now order by due_at, token_id limit $limit`,
  columns: { tokenId: t.int8, token: t.narrow<Address>(t.text), wallet: t.narrow<Address>(t.text) },
}).rows;

/** Puts off a link that could not be checked; what is known of it stays. */
export const postponeLink = statement({
  name: "token-link-postpone",
  params: { tokenId: t.int8, token: t.text, wallet: t.text, dueAt: t.timestamptz },
  text: `
    update offchain.token_link set due_at = $dueAt
    where (token_id, token_address, wallet) = ($tokenId, $token, $wallet)`,
}).run;

const SETTLE = statement({
  name: "token-link-settle",
  params: {
    tokenId: t.int8,
    token: t.text,
    wallet: t.text,
    tie: t.nullable(t.text),
    dueAt: t.nullable(t.timestamptz),
    platforms: t.array(t.text),
  },
  text: `
    update offchain.token_link l set due_at = $dueAt, tie = coalesce($tie, (
      select 'registry' from offchain.directory d
      where d.platform = any($platforms) and d.removed_at is null and d.token_address = l.token_address
        and l.wallet in (d.owner_address, d.address) limit 1))
    where (token_id, token_address, wallet) = ($tokenId, $token, $wallet)`,
});

/**
 * Stores what the chain says of a link; where that is nothing, a registry that launched the token is asked. The agent's
 * row shows it in the same commit. A link that was replaced meanwhile stays as it is.
 * @param result.dueAt null for a tie that cannot end
 * @returns how many rows of the directory are different
 */
export const settleLink = (
  pool: pg.Pool,
  link: TokenLink,
  result: { tie: TokenTie | null; dueAt: Date | null },
): Promise<number> =>
  transaction(pool, async (tx) => {
    await SETTLE.run(tx, { ...link, ...result, platforms: [...LAUNCHING_PLATFORMS] });
    return showTokens(tx, { tokens: [link.token] });
  });
