/** Pages of the directory, answered from memory when the columns are there and by SQL when they are not: the same answer either way. */
import type pg from "pg";
import { answering } from "../../columns/freshness.ts";
import { type LiveTableOptions, type LiveTableStats, openLiveTable } from "../../columns/live-table.ts";
import type { Condition } from "../../columns/matches.ts";
import { addressesFrom } from "../../columns/packed-address.ts";
import { type Make, RowMemo } from "../../columns/row-memo.ts";
import type { ColumnTable } from "../../columns/table.ts";
import { boundsOf, type DirectorySort, searchKinds } from "../../core/directory/filters.ts";
import { entryOf } from "../../runtime/processes.ts";
import {
  type DirectoryPage,
  type DirectoryQuery,
  type DirectoryTotals,
  directoryTotals,
  listDirectory,
  searchedWallet,
} from "../directory/list.ts";
import { folded } from "../folded-text.ts";
import { type DIRECTORY_COLUMNS, source } from "./directory-source.ts";

export type DirectoryList = {
  /** One page: ids of rows and the exact total. The rows are for the caller to fetch; one may be gone by then. */
  list(query: DirectoryQuery): Promise<DirectoryPage>;
  /**
   * What `make` makes of rows, in the order of the ids and without those that are gone. What it made before is given
   * again until the row changes, or what is shown beside it (`touchRows` in db/directory/write.ts).
   */
  shown(ids: readonly number[], make: Make): Promise<Uint8Array[]>;
  /** Totals of the whole directory; from SQL they may be a few seconds old. */
  totals(): Promise<DirectoryTotals>;
  /** Whether memory answers: it is there, and was compared with the database within `maxAgeMs`. */
  readonly ready: boolean;
  /** When memory was last known to equal the database. */
  readonly asOf: Date | undefined;
  /** Undefined when it is switched off. */
  stats(): LiveTableStats | undefined;
  close(): Promise<void>;
};

export type DirectoryListOptions = LiveTableOptions & {
  db: pg.Pool;
  /** False leaves every page to SQL. */
  enabled?: boolean;
  /** Memory that could not be compared with the database for so long leaves pages to SQL; see answering.ts. */
  maxAgeMs?: number;
};

/** A change shows after two seconds, whatever happens to the feed, unless the database is too busy. */
const MAX_AGE_MS = 1_500;
/** Totals that SQL has to read all of an index for. */
const TOTALS_MS = 5_000;
const KNOWN_WORDS = 1_000;
/** Of rows as they are shown: some 20,000. */
const SHOWN_BYTES = 16 * 2 ** 20;

/** Opens the directory's pages; usable at once. `url` is that of the role `app`. */
export function openDirectoryList({
  db,
  enabled = true,
  maxAgeMs = MAX_AGE_MS,
  ...options
}: DirectoryListOptions): DirectoryList {
  const live = enabled ? openLiveTable(source, entryOf("load-directory"), options) : undefined;
  const { fresh, next, usable } = answering(live, maxAgeMs);
  const memo = new RowMemo(SHOWN_BYTES);
  live?.onChange((rows) => (rows === "all" ? memo.clear() : memo.forget(rows)));

  const known = new Map<string, string>();
  /** A search as the searched names are written. Letters beyond ASCII are left to the database, which has made those. */
  async function comparable(text: string): Promise<string> {
    if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
    let word = known.get(text);
    if (word === undefined) {
      const { rows } = await db.query({
        name: "directory-comparable",
        text: `select ${folded("$1::text")} as word`,
        values: [text],
      });
      word = rows[0].word as string;
      if (known.size === KNOWN_WORDS) known.clear();
      known.set(text, word);
    }
    return word;
  }

  /** Totals of the table as it was after a look at the database; until the next one nothing changes. */
  let counted: { asOf: Date; table: ColumnTable; totals: DirectoryTotals } | undefined;
  function totalsOf(table: ColumnTable, asOf: Date): DirectoryTotals {
    if (counted?.asOf !== asOf || counted.table !== table) {
      const totals = {
        total: table.size,
        scored: table.count([{ column: "credScore", from: 1 }]),
        sum: table.sum("credScore"),
        x402: table.count([{ column: "x402", is: true }]),
      };
      counted = { asOf, table, totals };
    }
    return counted.totals;
  }

  let asked: { at: number; totals: Promise<DirectoryTotals> } | undefined;
  function totalsBySql(): Promise<DirectoryTotals> {
    if (asked === undefined || Date.now() - asked.at > TOTALS_MS) {
      const totals = directoryTotals(db);
      totals.catch(() => {
        asked = undefined;
      });
      asked = { at: Date.now(), totals };
    }
    return asked.totals;
  }

  return {
    async list(query) {
      // The columns do not know whose own an agent is; indexes find a wallet's agents at once.
      if (next() !== undefined && searchedWallet(query) === null) {
        const word = query.q === undefined ? undefined : await comparable(query.q);
        await live!.settling;
        // What was true before need not be now.
        const table = usable();
        if (table) return listFrom(table, query, word);
      }
      return listDirectory(db, query);
    },
    async shown(ids, make) {
      // While nobody tells which rows change, nothing is given again.
      if (fresh() !== undefined) return memo.of(ids, make);
      const made = await make(ids);
      return ids.flatMap((id) => made.get(id) ?? []);
    },
    async totals() {
      const table = usable();
      return table ? totalsOf(table, live!.asOf!) : totalsBySql();
    },
    get ready() {
      return fresh() !== undefined;
    },
    get asOf() {
      return live?.asOf;
    },
    stats: () => live?.stats(),
    close: async () => live?.close(),
  };
}

/** The answer of `listDirectory`, from memory. @param word the search as the searched names are written */
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
};

function conditions({ filter, q, now }: DirectoryQuery, word: string | undefined): Condition[] {
  const where: Condition[] = [];
  const { x402, tier, createdSince, activeSince, price } = boundsOf(filter, now);
  if (x402) where.push({ column: "x402", is: true });
  if (tier) where.push({ column: "credScore", from: tier.from, to: tier.to });
  if (createdSince !== undefined) where.push({ column: "createdAt", from: createdSince });
  if (activeSince !== undefined) where.push({ column: "activeAt", from: activeSince });
  // Bounds are included: next to 0 there is the least double.
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

const utf8 = (text: string) => new TextEncoder().encode(text);
