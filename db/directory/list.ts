/** Pages of the directory by indexed SQL: what answers while memory does not. The page and the total are found apart, from one snapshot. */
import type pg from "pg";
import {
  boundsOf,
  DIRECTORY_FILTERS,
  DIRECTORY_SORTS,
  type DirectoryFilter,
  type DirectorySort,
  searchKinds,
} from "../../core/directory/filters.ts";
import { folded } from "../folded-text.ts";
import { family, int8, statement, text } from "../statement.ts";
import { type Queryable, snapshot } from "../transaction.ts";
import { ETHOS } from "./ethos-sql.ts";

export type DirectoryQuery = {
  filter: DirectoryFilter;
  /** Part of a name, the beginning of the address of an agent's wallet or owner, an agent's id or a token's symbol. */
  q?: string | undefined;
  sort: DirectorySort;
  descending: boolean;
  offset: number;
  limit: number;
  /** Milliseconds since the epoch: what `new` and `trending` are counted back from. */
  now: number;
};

/**
 * The wallet that a search is for, lower-case; null when it is for anything else. A whole address is part of no name, and
 * whatever the sort, a wallet's own agents come first, then those that it owns, and last those that only name it.
 */
export const searchedWallet = ({ q = "" }: Pick<DirectoryQuery, "q">): string | null =>
  /^0x[0-9a-f]{40}$/i.test(q) ? q.toLowerCase() : null;

/** Ids of the directory in order, and the number of all that match. */
export type DirectoryPage = { total: number; ids: number[] };

/** SQL of the sort keys; nulls are last and equal keys are by id, ascending, either way. */
const SORTS: Record<DirectorySort, string> = {
  cred_score: "s.cred_score",
  name: `d.sort_name collate "C"`,
  created_at: "d.created_at",
  platform: `d.platform collate "C"`,
  token_market_cap: "d.market_cap_usd",
  volume_24h: "d.volume_24h_usd",
  price_change_24h: "d.price_change_24h",
  liquidity_usd: "d.liquidity_usd",
  ethos_score: ETHOS.score,
  updated_at: "d.updated_at",
  trend: "d.trend",
};

/** Max matches of a search that are collected and sorted; beyond, the sort's index is walked. */
const COLLECT = 20_000;

/** Options that together reach every part of a list's text. */
const EXAMPLES: readonly DirectoryQuery[] = [
  ...DIRECTORY_FILTERS.map((filter) => ({ filter, sort: "cred_score" as const })),
  ...DIRECTORY_SORTS.map((sort) => ({ filter: "all" as const, sort })),
  ...["Nova", "0xab", `0x${"ab".repeat(20)}`].map((q) => ({ filter: "x402" as const, sort: "cred_score" as const, q })),
].map((query) => ({ descending: true, offset: 0, limit: 10, now: 0, ...query }));

/** Not prepared: the planner sees every value, because one plan for all values would suit none. */
const COUNT = family({
  name: "directory-count",
  text(query: DirectoryQuery, $) {
    const { from, where } = matching(query, $);
    return `select count(*) as total from ${from} where ${where}`;
  },
  columns: { total: int8 },
  examples: EXAMPLES,
});

/** A page of a list whose number of matches is known. */
type Counted = { query: DirectoryQuery; total: number };

const PAGE = family({
  name: "directory-page",
  text({ query, total }: Counted, $) {
    const { sort, descending } = query;
    const { from, where, id, rank } = matching(query, $, sort);
    const { turned, skip, size } = wayTo(query, total);
    const direction = descending !== turned ? "desc" : "asc";
    const ranked = rank === undefined ? "" : `rank ${turned ? "desc" : "asc"}, `;
    const order = `${ranked}key ${direction} nulls ${turned ? "first" : "last"}, id ${turned ? "desc" : "asc"}`;
    const ranks = rank === undefined ? "" : `, ${rank} as rank`;
    const matched = `select ${id} as id, ${SORTS[sort]} as key${ranks} from ${from} where ${where}`;
    return `${isCollected(query, total) ? `with matched as materialized (${matched}) select id from matched` : `select id from (${matched}) matched`}
      order by ${order} limit ${size} offset ${skip}`;
  },
  columns: { id: int8 },
  examples: EXAMPLES.flatMap((query) => [
    { query, total: 10 },
    { query: { ...query, descending: false }, total: 100_000 },
  ]),
});

const WITHOUT_SORTING = statement({
  name: "directory-without-sorting",
  text: "select set_config('enable_sort', 'off', true) as setting",
  columns: { setting: text },
});

/** The page and the exact total. */
export async function listDirectory(pool: pg.Pool, query: DirectoryQuery): Promise<DirectoryPage> {
  return snapshot(pool, async (tx) => {
    const { total } = await COUNT.one(tx, query);
    if (query.offset >= total) return { total, ids: [] };
    // The planner underestimates the length of a walk along an index for few matches, so it does not choose here.
    if (!isCollected(query, total)) await WITHOUT_SORTING.run(tx);
    const ids = (await PAGE.rows(tx, { query, total })).map(({ id }) => id);
    return { total, ids: wayTo(query, total).turned ? ids.reverse() : ids };
  });
}

/** Whether all matches are collected and sorted; else the sort's index is walked. A search for a wallet is ranked first. */
const isCollected = (query: DirectoryQuery, total: number): boolean =>
  (query.q !== undefined && total <= COLLECT) || searchedWallet(query) !== null;

/** Past the middle the way from the other end is shorter: `turned` reads from there. */
function wayTo({ offset, limit }: DirectoryQuery, total: number) {
  const size = Math.min(limit, total - offset);
  const turned = offset > total / 2;
  return { size, turned, skip: turned ? total - offset - size : offset };
}

/**
 * Tables and conditions of a question: rows `d`, scores `s`, or both where both are asked about. `rank`, in a search for a
 * wallet, is what its agents are ordered by before the sort.
 */
function matching({ filter, q, now }: DirectoryQuery, $: (value: unknown) => string, sort?: DirectorySort) {
  const ofScores: string[] = [];
  const ofRows: string[] = [];
  const { x402, tier, createdSince, activeSince, price } = boundsOf(filter, now);
  let rank: string | undefined;
  if (tier) ofScores.push(`s.cred_score between ${tier.from} and ${tier.to}`);
  else if (sort === "cred_score") ofScores.push("s.cred_score is not null");
  if (x402) ofRows.push("d.x402_supported");
  if (createdSince !== undefined) ofRows.push(`d.created_at >= ${$(new Date(createdSince))}`);
  if (activeSince !== undefined) ofRows.push(`d.active_at >= ${$(new Date(activeSince))}`);
  if (price) ofRows.push(`d.price_change_24h ${price === "up" ? ">" : "<"} 0`);
  if (q !== undefined) {
    const { name, word, addressPrefix } = searchKinds(q);
    const wallet = searchedWallet({ q });
    const matches = [`lower(d.agent_id) = ${$(word)}`, `lower(d.token_symbol) = ${$(word)}`];
    if (wallet === null) matches.push(`d.search_name like '%' || ${escaped(folded(`${$(name)}::text`))} || '%'`);
    if (wallet !== null) {
      const of = $(wallet);
      matches.push(`d.address collate "C" = ${of}`, `d.owner_address = ${of}`);
      rank = `case when d.address = ${of} and d.wallet_confirmed is false then 2
        when d.owner_address = ${of} and d.address is distinct from ${of} then 1 else 0 end`;
    } else if (addressPrefix !== undefined) {
      const [from, to] = [$(addressPrefix), $(`${addressPrefix}\u{10ffff}`)];
      for (const column of ["d.address", "d.owner_address"])
        matches.push(`(${column} collate "C" >= ${from} and ${column} collate "C" <= ${to})`);
    }
    ofRows.push(`(${matches.join(" or ")})`);
  }
  const scoresOnly = ofRows.length === 0 && ofScores.length > 0 && (sort ?? "cred_score") === "cred_score";
  if (scoresOnly) return { from: SCORES, where: ofScores.join(" and "), id: "s.id", rank };
  const where = [...ofScores, ...ofRows, "d.removed_at is null"].join(" and ");
  const joins = sort === "ethos_score" ? ` ${ETHOS.joins}` : "";
  if (ofScores.length === 0) return { from: ROWS + joins, where, id: "d.id", rank };
  const from = `${SCORES} join ${ROWS} on d.id = s.id${joins}`;
  return { from, where, id: sort === "cred_score" ? "s.id" : "d.id", rank };
}

const ROWS = "offchain.directory d";
const SCORES = "offchain.directory_score s";

/** A text that LIKE takes as it stands. */
const escaped = (text: string) => `regexp_replace(${text}, '([\\\\%_])', '\\\\\\1', 'g')`;

export type DirectoryTotals = {
  total: number;
  /** Rows whose score is above 0. */
  scored: number;
  /** Sum of all scores. */
  sum: number;
  x402: number;
};

const TOTALS = statement({
  name: "directory-totals",
  text: `
    select count(*) as total, count(*) filter (where cred_score > 0) as scored,
           coalesce(sum(cred_score), 0)::int8 as sum,
           (select count(*) from offchain.directory where removed_at is null and x402_supported) as x402
    from offchain.directory_score where cred_score is not null`,
  columns: { total: int8, scored: int8, sum: int8, x402: int8 },
  prepared: true,
});

/** Totals of the whole directory; reads all of two indexes. */
export const directoryTotals = (db: Queryable): Promise<DirectoryTotals> => TOTALS.one(db);
