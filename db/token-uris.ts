/** What the chain said of each token's URI, and which of them the service is to set. */
import type { Address, Hex } from "../core/facts.ts";
import type { Queryable } from "./transaction.ts";
import { intentByKey, queueIntent } from "./transaction-outbox.ts";

export type TokenUriState = "none" | "queued" | "set" | "own" | "cleared" | "unknown";

/** What is known of a token's URI. `base` is the PUBLIC_URL in the one that the service last set; null = it set none. */
export type KnownTokenUri = { tokenId: number; state: TokenUriState; base: string | null; attempt: number };

const KNOWN = `token_id as "tokenId", state, base, attempt`;
const toKnown = (row: Record<string, unknown>): KnownTokenUri => ({
  ...(row as KnownTokenUri),
  tokenId: Number(row.tokenId),
});

/** Null for a token that nobody has looked at yet. */
export async function knownTokenUri(db: Queryable, tokenId: number): Promise<KnownTokenUri | null> {
  const { rows } = await db.query(`select ${KNOWN} from offchain.token_uri where token_id = $1`, [tokenId]);
  return rows[0] ? toKnown(rows[0]) : null;
}

/**
 * Tokens whose URI the chain is to be asked for: those never asked about, in the order of their ids, and those due again.
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function tokenUrisToCheck(db: Queryable, now: Date, limit: number): Promise<KnownTokenUri[]> {
  const { rows } = await db.query(
    `(select a.token_id as "tokenId", 'unknown' as state, null as base, 0 as attempt from onchain.agent a
      where a.token_id > coalesce((select max(token_id) from offchain.token_uri), -1) order by a.token_id limit $2)
     union all
     (select ${KNOWN} from offchain.token_uri where state <> 'queued' and check_at <= $1 order by check_at limit $2)
     limit $2`,
    [now, limit],
  );
  return rows.map(toKnown);
}

/** Stores what the chain said. A row that changed since it was read stays as it is: that is newer. @returns how many changed */
export async function storeTokenUriChecks(
  db: Queryable,
  checks: readonly (KnownTokenUri & { before: TokenUriState; checkAt: Date })[],
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into offchain.token_uri as t (token_id, state, base, attempt, check_at)
     select token_id, state, base, attempt, check_at
     from unnest($1::int8[], $2::text[], $3::text[], $4::int4[], $5::timestamptz[])
       as c(token_id, state, base, attempt, check_at) order by token_id
     on conflict (token_id) do update set state = excluded.state, base = excluded.base, check_at = excluded.check_at
       where t.attempt = excluded.attempt and t.state = ($6::text[])[array_position($1::int8[], t.token_id)]`,
    [
      checks.map(({ tokenId }) => tokenId),
      checks.map(({ state }) => state),
      checks.map(({ base }) => base),
      checks.map(({ attempt }) => attempt),
      checks.map(({ checkAt }) => checkAt),
      checks.map(({ before }) => before),
    ],
  );
  return rowCount ?? 0;
}

/** Whether a transaction of the outbox minted the agent `a`. */
const IS_OURS = "exists (select from offchain.transaction_attempt t where t.hash = a.mint_tx)";

/** Tokens without a URI that the service has minted itself. @throws when there are no views yet (`isNoIndex`) */
export async function mintedWithoutUri(db: Queryable, limit: number): Promise<number[]> {
  const { rows } = await db.query(
    `select u.token_id as "tokenId" from offchain.token_uri u join onchain.agent a using (token_id)
     where u.state = 'none' and ${IS_OURS} order by u.token_id limit $1`,
    [limit],
  );
  return rows.map(({ tokenId }) => Number(tokenId));
}

/**
 * Tokens without a URI that others minted, then those with one that the service set under another PUBLIC_URL.
 * @throws when there are no views yet (`isNoIndex`)
 */
export async function tokenUrisToFill(db: Queryable, publicUrl: string, limit: number): Promise<number[]> {
  const { rows } = await db.query(
    `(select u.token_id as "tokenId" from offchain.token_uri u join onchain.agent a using (token_id)
      where u.state = 'none' and not ${IS_OURS} order by u.token_id limit $2)
     union all
     (select token_id from offchain.token_uri where state = 'set' and (base < $1 or base > $1) order by token_id limit $2)
     limit $2`,
    [publicUrl, limit],
  );
  return rows.map(({ tokenId }) => Number(tokenId));
}

/** How many tokens were chosen within the daily limit since. */
export async function tokenUrisFilledSince(db: Queryable, since: Date): Promise<number> {
  const { rows } = await db.query("select count(*)::int4 as filled from offchain.token_uri where filled_at >= $1", [
    since,
  ]);
  return rows[0].filled;
}

/** Key of the nth intent that sets a token's URI. A mined or reverted one has spent its nonce: the next has another key. */
const keyOf = (tokenId: number, attempt: number) => (attempt <= 1 ? `uri:${tokenId}` : `uri:${tokenId}#${attempt}`);

/**
 * Queues the transaction that sets a token's URI, in the caller's transaction, and locks the token's row: two callers
 * queue one.
 * @param filledAt counts it against the day's limit; null where the service minted the token
 * @returns false when the token has left the state in which it was chosen
 */
export async function queueTokenUri(
  tx: Queryable,
  {
    tokenId,
    to,
    data,
    publicUrl,
    filledAt,
  }: { tokenId: number; to: Address; data: Hex; publicUrl: string; filledAt: Date | null },
): Promise<boolean> {
  const { rows } = await tx.query(
    `select attempt from offchain.token_uri
     where token_id = $1 and (state = 'none' or state = 'set' and base <> $2) for update`,
    [tokenId, publicUrl],
  );
  if (!rows[0]) return false;
  const newest = await intentByKey(tx, keyOf(tokenId, rows[0].attempt));
  const spent = newest?.state === "mined" || newest?.state === "reverted";
  const attempt = Math.max(1, rows[0].attempt + (spent ? 1 : 0));
  await queueIntent(tx, { intentKey: keyOf(tokenId, attempt), to, data, waits: true });
  await tx.query(
    `update offchain.token_uri set state = 'queued', attempt = $2, filled_at = coalesce($3, filled_at) where token_id = $1`,
    [tokenId, attempt, filledAt],
  );
  return true;
}

/** The chain holds the URI that the service has set. */
export async function tokenUriSet(
  tx: Queryable,
  tokenId: number,
  { base, checkAt }: { base: string; checkAt: Date },
): Promise<void> {
  await tx.query(
    `update offchain.token_uri set state = 'set', former_base = base, base = $2, check_at = $3 where token_id = $1`,
    [tokenId, base, checkAt],
  );
}

/** The block in which it was set is gone: its transaction is under way again. */
export async function tokenUriUnset(tx: Queryable, tokenId: number): Promise<void> {
  await tx.query(
    "update offchain.token_uri set state = 'queued', base = former_base where token_id = $1 and state <> 'queued'",
    [tokenId],
  );
}

/** The transaction that was to set it has ended without doing so. */
export async function tokenUriLeft(
  tx: Queryable,
  tokenId: number,
  { state, checkAt }: { state: TokenUriState; checkAt: Date },
): Promise<void> {
  await tx.query("update offchain.token_uri set state = $2, check_at = $3 where token_id = $1 and state = 'queued'", [
    tokenId,
    state,
    checkAt,
  ]);
}

/** Tokens that have no URI, as far as the chain was asked; those not asked about yet count. @throws when there are no views yet (`isNoIndex`) */
export async function tokensWithoutUri(db: Queryable): Promise<number> {
  const { rows } = await db.query({
    name: "tokens-without-uri",
    text: `select
      (select count(*) from onchain.agent a
       where a.token_id > coalesce((select max(token_id) from offchain.token_uri), -1)) +
      (select count(*) from offchain.token_uri u join onchain.agent a using (token_id)
       where u.state not in ('set', 'own')) as without`,
  });
  return Number(rows[0].without);
}
