/** Each token's URI as it was last read from the chain, and the tokens whose URI the service sets. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { tokenUri } from "../schema/transactions.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { intentByKey, queueIntent } from "../transactions/transaction-outbox.ts";

/** The last read of a token's URI. `base` is the PUBLIC_URL in the URI that the service last set; null = it set none. */
export type KnownTokenUri = t.RowOf<typeof KNOWN_ROW>;
export type TokenUriState = KnownTokenUri["state"];

const KNOWN_ROW = columnsOf(tokenUri, { only: ["tokenId", "state", "base", "attempt"] });
const KNOWN = t.fieldsOf(KNOWN_ROW);

/** The last read; null for a token whose URI was never read. */
export const knownTokenUri = statement({
  name: "token-uri",
  params: { tokenId: t.int8 },
  text: `select ${KNOWN} from offchain.token_uri where token_id = $tokenId`,
  columns: KNOWN_ROW,
}).maybeOne;

/**
 * Tokens whose URI must be read from the chain: those never read, in the order of their ids, and those due again.
 * @throws when there are no views yet (`isNoIndex`)
 */
export const tokenUrisToCheck = statement({
  name: "token-uris-to-check",
  params: { now: t.timestamptz, limit: t.int8 },
  text: `
    (select a.token_id as "tokenId", 'unknown' as state, null as base, 0 as attempt from onchain.agent a
     where a.token_id > coalesce((select max(token_id) from offchain.token_uri), -1) order by a.token_id limit $limit)
    union all
    (select ${KNOWN} from offchain.token_uri where state <> 'queued' and check_at <= $now order by check_at limit $limit)
    limit $limit`,
  columns: KNOWN_ROW,
}).rows;

/**
 * Stores URIs read from the chain.
 * Check then write: the chain's URI, then what is known of it; another run or the sender's effect may write: guarded
 * update on state and attempt as read, so a row that changed since then is newer and stays.
 * @returns number of changed rows
 */
export const storeTokenUriChecks = statement({
  name: "token-uris-store-checks",
  params: {
    checks: t.records({
      ...columnsOf(tokenUri, { only: ["tokenId", "state", "base", "attempt", "checkAt"] }),
      before: t.text,
    }),
  },
  text: `
    with checked as materialized (select * from $checks)
    insert into offchain.token_uri as t (token_id, state, base, attempt, check_at)
    select token_id, state, base, attempt, check_at from checked order by token_id
    on conflict (token_id) do update set state = excluded.state, base = excluded.base, check_at = excluded.check_at
      where t.attempt = excluded.attempt
        and t.state = (select c.before from checked c where c.token_id = t.token_id)`,
}).run;

/** Whether a transaction of the outbox minted the agent `a`. */
const IS_OURS = "exists (select from offchain.transaction_attempt t where t.hash = a.mint_tx)";

/** Tokens without a URI that the service has minted itself. @throws when there are no views yet (`isNoIndex`) */
export const mintedWithoutUri = statement({
  name: "token-uris-minted-without",
  params: { limit: t.int8 },
  text: `
    select u.token_id as "tokenId" from offchain.token_uri u join onchain.agent a using (token_id)
    where u.state = 'none' and ${IS_OURS} order by u.token_id limit $limit`,
  columns: { tokenId: t.int8 },
}).values;

/**
 * Tokens without a URI that others minted, then those with one that the service set under another PUBLIC_URL.
 * @throws when there are no views yet (`isNoIndex`)
 */
export const tokenUrisToFill = statement({
  name: "token-uris-to-fill",
  params: { publicUrl: t.text, limit: t.int8 },
  text: `
    (select u.token_id as "tokenId" from offchain.token_uri u join onchain.agent a using (token_id)
     where u.state = 'none' and not ${IS_OURS} order by u.token_id limit $limit)
    union all
    (select token_id from offchain.token_uri
     where state = 'set' and (base < $publicUrl or base > $publicUrl) order by token_id limit $limit)
    limit $limit`,
  columns: { tokenId: t.int8 },
}).values;

/** The number of tokens that were chosen within the daily limit since. */
export const tokenUrisFilledSince = statement({
  name: "token-uris-filled-since",
  params: { since: t.timestamptz },
  text: "select count(*)::int4 as filled from offchain.token_uri where filled_at >= $since",
  columns: { filled: t.int4 },
}).onlyValue;

/** Key of the nth intent that sets a token's URI. A mined or reverted one has spent its nonce: the next has another key. */
const keyOf = (tokenId: number, attempt: number) => (attempt <= 1 ? `uri:${tokenId}` : `uri:${tokenId}#${attempt}`);

const CHOOSE = statement({
  name: "token-uri-choose",
  params: { tokenId: t.int8, publicUrl: t.text },
  text: `
    select attempt from offchain.token_uri
    where token_id = $tokenId and (state = 'none' or state = 'set' and base <> $publicUrl) for update`,
  columns: { attempt: t.int4 },
});
const SET_QUEUED = statement({
  name: "token-uri-set-queued",
  params: { tokenId: t.int8, attempt: t.int4, filledAt: t.nullable(t.timestamptz) },
  text: `
    update offchain.token_uri set state = 'queued', attempt = $attempt, filled_at = coalesce($filledAt, filled_at)
    where token_id = $tokenId`,
});

/**
 * Queues the transaction that sets a token's URI, in the caller's transaction.
 * Check then write: no URI, or one of another PUBLIC_URL, then the intent and state `queued`; another run may queue it:
 * row lock and unique key, so two callers queue one; the next key comes only after the last intent's nonce is spent.
 * @param order.filledAt counts it against the day's limit; null where the service minted the token
 * @returns false when the token has left the state in which it was chosen
 */
export async function queueTokenUri(
  tx: Queryable,
  order: { tokenId: number; to: Address; data: Hex; publicUrl: string; filledAt: Date | null },
): Promise<boolean> {
  const { tokenId, to, data, publicUrl, filledAt } = order;
  const chosen = await CHOOSE.maybeOne(tx, { tokenId, publicUrl });
  if (!chosen) return false;
  const newest = await intentByKey(tx, keyOf(tokenId, chosen.attempt));
  const spent = newest?.state === "mined" || newest?.state === "reverted";
  const attempt = Math.max(1, chosen.attempt + (spent ? 1 : 0));
  await queueIntent(tx, { intentKey: keyOf(tokenId, attempt), to, data, waits: true, free: null });
  await SET_QUEUED.run(tx, { tokenId, attempt, filledAt });
  return true;
}

/** The URI that the service set is on the chain. */
export const tokenUriSet = statement({
  name: "token-uri-set",
  params: { tokenId: t.int8, base: t.text, checkAt: t.timestamptz },
  text: `
    update offchain.token_uri set state = 'set', former_base = base, base = $base, check_at = $checkAt
    where token_id = $tokenId`,
}).run;

/** The block of the change is gone: its transaction is under way again. */
export const tokenUriUnset = statement({
  name: "token-uri-unset",
  params: { tokenId: t.int8 },
  text: `
    update offchain.token_uri set state = 'queued', base = former_base
    where token_id = $tokenId and state <> 'queued'`,
}).run;

/** The transaction that should set the URI has ended without doing so. */
export const tokenUriLeft = statement({
  name: "token-uri-left",
  params: { tokenId: t.int8, state: t.text, checkAt: t.timestamptz },
  text: `
    update offchain.token_uri set state = $state, check_at = $checkAt
    where token_id = $tokenId and state = 'queued'`,
}).run;

/** The number of tokens that have no URI, or whose URI was never read. @throws when there are no views yet (`isNoIndex`) */
export const tokensWithoutUri = statement({
  name: "tokens-without-uri",
  text: `
    select
      (select count(*) from onchain.agent a
       where a.token_id > coalesce((select max(token_id) from offchain.token_uri), -1)) +
      (select count(*) from offchain.token_uri u join onchain.agent a using (token_id)
       where u.state not in ('set', 'own')) as without`,
  columns: { without: t.int8 },
  prepared: true,
}).onlyValue;
