/** Pages of the directory: answered from memory while it is loaded and fresh, else by SQL, with the same result. */
import type pg from "pg";
import type { Condition } from "../../columns/filter-cache.ts";
import { freshnessPolicy } from "../../columns/freshness-policy.ts";
import { type LiveTableOptions, openLiveTable } from "../../columns/live-table.ts";
import type { LiveTableStats } from "../../columns/live-table-stats.ts";
import { addressesFrom } from "../../columns/packed-address.ts";
import { type RenderRows, type RowBytes, RowCache, renderedRows } from "../../columns/row-cache.ts";
import type { ColumnTable } from "../../columns/table.ts";
import type { Facets } from "../../core/directory/facets.ts";
import { boundsOf, type DirectorySort, searchKinds } from "../../core/directory/filters.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { entryOf } from "../../runtime/processes.ts";
import { directoryTotals, listDirectory } from "../directory/list.ts";
import {
  type DirectoryPage,
  type DirectoryQuery,
  type DirectoryTotals,
  foldedWord,
  isOfFew,
} from "../directory/question-sql.ts";
import { isAsciiText, MAX_WORDS, utf8 } from "../sql/search-words.ts";
import { type DIRECTORY_COLUMNS, source } from "./directory-source.ts";

export type { RowBytes };

export type DirectoryList = {
  /**
   * One page: ids of rows and the exact total. The caller fetches the rows; one may be removed in between.
   * Check then write: memory is fresh, then the answer; it may change: compared again after each await.
   */
  list(query: DirectoryQuery): Promise<DirectoryPage>;
  /**
   * Rendered rows in the order of the ids, without rows that do not exist. A rendered row is cached until the row
   * changes, or something else that is shown in it (`touchRows` in db/directory/write.ts).
   */
  shown(ids: readonly number[], render: RenderRows): Promise<RowBytes[]>;
  /** Totals of the whole directory; by SQL they may be 5 seconds old. */
  totals(): Promise<DirectoryTotals>;
  /** Whether memory is loaded and was compared with the database within `maxAgeMs`. */
  readonly ready: boolean;
  /** When memory was last known to equal the database. */
  readonly asOf: Date | undefined;
  /** Whether pages show everything that was committed before a moment, in milliseconds since the epoch. */
  shows(moment: number): boolean;
  /** Undefined when memory is switched off. */
  stats(): LiveTableStats | undefined;
  close(): Promise<void>;
};

export type DirectoryListOptions = LiveTableOptions & {
  db: pg.Pool;
  /** False: SQL answers every page. */
  enabled?: boolean;
  /** Max age of memory in milliseconds; what answers beyond it is in columns/freshness-policy.ts. */
  maxAgeMs?: number;
};

/** A change shows within two seconds even when the feed fails, unless the database is too busy. */
const MAX_AGE_MS = 1_500;
/** Bound: bytes of rendered rows in memory, about 65,000 rows. */
const CACHE_BYTES = 20 * 2 ** 20;

/** Opens the directory's pages; usable at once. `url` is that of the role `app`. */
export function openDirectoryList({
  db,
  enabled = true,
  maxAgeMs = MAX_AGE_MS,
  ...options
}: DirectoryListOptions): DirectoryList {
  const live = enabled ? openLiveTable(source, entryOf("load-directory"), options) : undefined;
  const { fresh, next, usable, shows } = freshnessPolicy(live, maxAgeMs);
  const cachedTotals = new CachedTotals(db);
  const cache = new RowCache(CACHE_BYTES);
  live?.onChange((rows) => (rows === "all" ? cache.clear() : cache.invalidate(rows)));

  const words = expiringCache<string>(MAX_WORDS);
  /** A search in the form of the searched names. Letters beyond ASCII are folded by the database, as those names are. */
  async function comparable(search: string): Promise<string> {
    if (isAsciiText(search)) return search.toLowerCase();
    const word = words.get(search) ?? (await foldedWord(db, { text: search }));
    words.set(search, word);
    return word;
  }

  return {
    async list(query) {
      // The columns do not say which wallet an agent belongs to; SQL finds one row and a wallet's agents by indexes at once.
      if (next() !== undefined && !isOfFew(query)) {
        const word = query.q === undefined ? undefined : await comparable(query.q);
        await live!.applying;
        // The table may have become too old during the awaits.
        const table = usable();
        if (table) return listFrom(table, query, word);
      }
      return listDirectory(db, query);
    },
    async shown(ids, render) {
      // A cached row is as old as the table, at most as old as a page from memory may be. To read all rows from a database
      // that is too busy to be followed would keep it busy.
      if (usable() !== undefined) return cache.get(ids, render);
      return renderedRows(ids, await render(ids));
    },
    async totals() {
      const table = usable();
      return table ? cachedTotals.ofTable(table, live!.asOf!) : cachedTotals.bySql();
    },
    get ready() {
      return fresh() !== undefined;
    },
    get asOf() {
      return live?.asOf;
    },
    shows,
    stats: () => live?.stats(),
    close: async () => live?.close(),
  };
}

/** The answer of `listDirectory`, from memory. @param word the search in the form of the searched names */
function listFrom(table: ColumnTable, query: DirectoryQuery, word: string | undefined): DirectoryPage {
  const { sort, descending, offset, limit } = query;
  const { ids, total } = table.page({
    where: conditions(query, word),
    sort: COLUMN[sort],
    descending,
    position: { offset },
    limit,
  });
  return { total, ids };
}

const COLUMN: Record<DirectorySort, keyof typeof DIRECTORY_COLUMNS> = {
  cred_score: "credScore",
  name: "name",
  created_at: "createdAt",
  platform: "platform",
  token_market_cap: "marketCap",
  volume_24h: "volume",
  price_change_24h: "priceChange",
  liquidity_usd: "liquidity",
  ethos_score: "ethosScore",
  updated_at: "updatedAt",
  trend: "trend",
  trend_7d: "trend7d",
  trend_30d: "trend30d",
};

/** The kinds of verification whose columns are no proofs of a platform. */
const VERIFIED = { wallet: "walletProven", coinbase: "coinbase" } as const;

/** Conditions of the facets, all of which a row must meet. */
function facetConditions({ platform, chain, speaks, verified, hasToken }: Facets): Condition[] {
  const where: Condition[] = [];
  const one = (column: string, value: number | Uint8Array): Condition => ({ column, from: value, to: value });
  if (platform) where.push({ anyOf: platform.map((key) => one("platform", utf8(key))) });
  if (chain) where.push({ anyOf: chain.map((id) => one("chain", id)) });
  for (const protocol of speaks ?? []) where.push({ column: `speaks:${protocol}`, is: true });
  for (const kind of verified ?? [])
    where.push({ column: kind === "wallet" || kind === "coinbase" ? VERIFIED[kind] : `proof:${kind}`, is: true });
  if (hasToken !== undefined) where.push({ column: "hasToken", is: hasToken });
  return where;
}

function conditions(query: DirectoryQuery, word: string | undefined): Condition[] {
  const { q, now } = query;
  const where = facetConditions(query);
  const { x402, active, scores, createdSince, createdUntil, activeSince, price } = boundsOf(query, now);
  if (x402) where.push({ column: "x402", is: true });
  if (active) where.push({ column: "active", is: true });
  for (const { from, to } of scores) where.push({ column: "credScore", from, to });
  for (const since of createdSince) where.push({ column: "createdAt", from: since });
  if (createdUntil !== undefined) where.push({ column: "createdAt", to: createdUntil });
  if (activeSince !== undefined) where.push({ column: "activeMinute", from: Math.ceil(activeSince / 60_000) });
  // Bounds are included, so the bound next to 0 is the smallest double.
  if (price === "up") where.push({ column: "priceChange", from: Number.MIN_VALUE });
  if (price === "down") where.push({ column: "priceChange", to: -Number.MIN_VALUE });
  if (q !== undefined && word !== undefined) {
    const kinds = searchKinds(q);
    const exact = utf8(kinds.word);
    const anyOf: Condition[] = [
      { column: "searched", contains: utf8(word) },
      { column: "agentId", from: exact, to: exact },
      { column: "symbol", from: exact, to: exact },
    ];
    const { addressPrefix } = kinds;
    if (addressPrefix !== undefined)
      anyOf.push(...addressesFrom("address", addressPrefix), ...addressesFrom("owner", addressPrefix));
    where.push({ anyOf });
  }
  return where;
}

/** Max age in milliseconds of totals that SQL reads: it reads all of an index for them. */
const SQL_MAX_AGE_MS = 5_000;

class CachedTotals {
  readonly #db: pg.Pool;
  /** Totals of the table as a sync left it; the table does not change until the next sync. */
  #ofTable: { asOf: Date; table: ColumnTable; totals: DirectoryTotals } | undefined;
  #bySql: { at: number; totals: Promise<DirectoryTotals> } | undefined;

  constructor(db: pg.Pool) {
    this.#db = db;
  }

  /** @param asOf time of the table's last sync */
  ofTable(table: ColumnTable, asOf: Date): DirectoryTotals {
    if (this.#ofTable?.asOf !== asOf || this.#ofTable.table !== table) {
      const totals = {
        total: table.size,
        scored: table.count([{ column: "credScore", from: 1 }]),
        sum: table.sum("credScore"),
        x402: table.count([{ column: "x402", is: true }]),
      };
      this.#ofTable = { asOf, table, totals };
    }
    return this.#ofTable.totals;
  }

  bySql(): Promise<DirectoryTotals> {
    if (this.#bySql === undefined || Date.now() - this.#bySql.at > SQL_MAX_AGE_MS) {
      const totals = directoryTotals(this.#db);
      totals.catch(() => {
        this.#bySql = undefined;
      });
      this.#bySql = { at: Date.now(), totals };
    }
    return this.#bySql.totals;
  }
}
