/** Market data of tokens, and of the directory's rows whose registry names one. */
import type pg from "pg";
import { tokenMarket } from "../schema/tokens.ts";
import { statement, t } from "../sql/statement.ts";
import { refusalReason, storeSet } from "../sql/store-set.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { quarantine, releaseItems } from "./quarantine.ts";
import { countedMarket, tokenCounts } from "./token-sql.ts";
import { touchRows } from "./write.ts";

/** A quote as it is stored; `known: false` for a token the market does not know. */
const QUOTE = {
  token: t.text,
  ...columnsOf(tokenMarket, { without: ["tokenAddress", "source", "fetchedAt", "failedAt"] }),
};
export type StoredQuote = t.RowOf<typeof QUOTE>;

/** A token to ask about; `failed` when the market did not answer about it the last time. */
export type DueToken = { token: string; failed: boolean };

/**
 * Tokens that registries name or anybody claims, and that the market has not answered about since. New tokens and those that
 * were asked about before take turns, and so do those of registries and claimed ones: new names keep no other token waiting.
 * Of each kind the one that has waited longest since it was last asked about, answered or not, comes first.
 */
export const tokensToQuote = statement({
  name: "token-quotes-due",
  params: { since: t.timestamptz, limit: t.int8 },
  text: `
    select t.token, m.failed_at is not null as failed from (
      select token_address as token, 0 as place from offchain.directory where token_address is not null and removed_at is null
      union all select token_address, 1 from offchain.directory_claim where token_address is not null) t
    left join offchain.token_market m on m.token_address = t.token
    where t.token ~ '^0x[0-9a-f]{40}$' and (m.fetched_at is null or m.fetched_at <= $since)
    group by t.token, m.fetched_at, m.failed_at
    order by row_number() over (partition by m.fetched_at is null and m.failed_at is null, min(t.place)
      order by greatest(m.fetched_at, m.failed_at), t.token), min(t.place), m.failed_at nulls first, t.token limit $limit`,
  columns: { token: t.text, failed: t.bool },
}).rows;

/** Stores that the market did not answer about some tokens. What is known of them stays. */
export const noteFailedQuotes = statement({
  name: "token-quotes-failed",
  params: { tokens: t.array(t.text), source: t.text, now: t.timestamptz },
  text: `
    insert into offchain.token_market (token_address, known, source, failed_at)
    select token, false, $source, $now from unnest($tokens::text[]) token order by token
    on conflict (token_address) do update set failed_at = excluded.failed_at`,
}).run;

/**
 * Stores quotes and shows them on the rows of their tokens. A claimed token keeps its claim when it gets a quote.
 * One item: a quote that the database refuses (`storeSet`) is put into quarantine, and its token stored as one that the
 * market does not know.
 * Check then write: the quote is fetched, then the upsert; the row may go, its token change: rows are joined by token
 * when it is written.
 * @returns how many rows of the directory are different
 */
export async function storeQuotes(
  pool: pg.Pool,
  quotes: readonly StoredQuote[],
  { source, now }: { source: string; now: Date },
): Promise<number> {
  if (quotes.length === 0) return 0;
  return storeSet(pool, quotes, {
    async store(tx, sound) {
      await releaseItems(tx, { source, ids: sound.map(({ token }) => token) });
      return writeQuotes(tx, sound, { source, now });
    },
    async settle(tx, changed, refused) {
      const bad = refused.map(({ item, error }) => ({ id: item.token, reason: refusalReason(error), raw: item }));
      await quarantine(tx, source, bad, { now, sweep: 0 });
      const unknown = refused.map(({ item: { token } }): StoredQuote => ({ ...NO_QUOTE, token, known: false }));
      return changed + (await writeQuotes(tx, unknown, { source, now }));
    },
  });
}

/** What is known of a token that the market does not know. */
export const NO_QUOTE = {
  symbol: null,
  name: null,
  marketCapUsd: null,
  basis: null,
  priceChange24h: null,
  volume24hUsd: null,
  liquidityUsd: null,
};

const STORE = statement({
  name: "token-quotes-store",
  params: { quotes: t.records(QUOTE), source: t.text, now: t.timestamptz },
  text: `
    insert into offchain.token_market (token_address, known, symbol, name, market_cap_usd, basis, price_change_24h,
      volume_24h_usd, liquidity_usd, source, fetched_at)
    select token, known, left(symbol, 32), left(name, 64), market_cap_usd, basis, price_change24h, volume24h_usd,
      liquidity_usd, $source, $now
    from $quotes order by token
    on conflict (token_address) do update set known = excluded.known, symbol = excluded.symbol, name = excluded.name,
      market_cap_usd = excluded.market_cap_usd, basis = excluded.basis, price_change_24h = excluded.price_change_24h,
      volume_24h_usd = excluded.volume_24h_usd, liquidity_usd = excluded.liquidity_usd, source = $source,
      fetched_at = $now, failed_at = null`,
});
/** Rows that show figures which they do not count: their own columns stay. */
const TOUCH_UNCOUNTED = statement({
  name: "token-quotes-touch-uncounted",
  params: { tokens: t.array(t.text) },
  text: touchRows(`
    select directory_id from offchain.directory_claim where token_address = any($tokens)
    union all select id from offchain.directory where token_address = any($tokens) and not token_counts`),
});
const FIGURES = countedMarket("c.counts");
const FIGURE_NAMES = Object.keys(FIGURES) as (keyof typeof FIGURES)[];

/**
 * Shows on the rows of some tokens whether these count, and what counts of their markets.
 * @returns how many rows of the directory are different
 * A day's trade is in every answer again: an hour's precision is enough for "within 24 hours".
 */
export const showTokens = statement({
  name: "token-quotes-show",
  params: { tokens: t.array(t.text) },
  text: `
    with differing as materialized (
      select d.id, c.counts, ${FIGURE_NAMES.map((name) => `${FIGURES[name]} as ${name}`).join(", ")},
        case when c.counts and m.volume_24h_usd > 0 then m.fetched_at when c.counts then d.traded_at end as traded_at
      from offchain.directory d
      cross join lateral (select ${tokenCounts("d")} as counts offset 0) c
      left join offchain.token_market m on m.token_address = d.token_address
      where d.token_address = any($tokens) and (
        (d.token_counts, ${FIGURE_NAMES.map((name) => `d.${name}`).join(", ")}) is distinct from
          (c.counts, ${FIGURE_NAMES.map((name) => FIGURES[name]).join(", ")})
        or (c.counts and m.volume_24h_usd > 0 and (d.traded_at is null or d.traded_at < m.fetched_at - interval '1 hour')))
      order by d.id for no key update of d)
    update offchain.directory d set token_counts = n.counts, traded_at = n.traded_at,
      ${FIGURE_NAMES.map((name) => `${name} = n.${name}`).join(", ")}
    from differing n where d.id = n.id`,
}).run;

async function writeQuotes(
  tx: pg.ClientBase,
  quotes: readonly StoredQuote[],
  { source, now }: { source: string; now: Date },
): Promise<number> {
  if (quotes.length === 0) return 0;
  await STORE.run(tx, { quotes, source, now });
  const tokens = quotes.map(({ token }) => token);
  await TOUCH_UNCOUNTED.run(tx, { tokens });
  return showTokens(tx, { tokens });
}
