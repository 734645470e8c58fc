/** Pages of the directory by indexed SQL: what answers while memory does not. The page and the total are found apart, from one snapshot. */
import type pg from "pg";
import { boundsOf, type DirectoryFilter, type DirectorySort, searchKinds } from "../../core/directory/filters.ts";
import { folded } from "../folded-text.ts";
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

/** Up to so many matches of a search are collected and sorted; beyond, the sort's index is walked. */
const COLLECT = 20_000;

/** The page and the exact total. */
export async function listDirectory(pool: pg.Pool, query: DirectoryQuery): Promise<DirectoryPage> {
  return snapshot(pool, async (tx) => {
    const total = await countMatches(tx, query);
    if (query.offset >= total) return { total, ids: [] };
    return { total, ids: await pageOf(tx, query, total) };
  });
}

/** Statements are not named: the planner is to see every value, and one plan for all would suit none. */
async function countMatches(tx: Queryable, query: DirectoryQuery): Promise<number> {
  const { from, where, values } = matching(query);
  const { rows } = await tx.query(`select count(*)::int8 as total from ${from} where ${where}`, values);
  return Number(rows[0].total);
}

async function pageOf(tx: Queryable, query: DirectoryQuery, total: number): Promise<number[]> {
  const { sort, descending, offset, limit } = query;
  const { from, where, values, id, rank } = matching(query, sort);
  const size = Math.min(limit, total - offset);
  // Past the middle the way from the other end is shorter.
  const turned = offset > total / 2;
  const skip = turned ? total - offset - size : offset;
  const direction = descending !== turned ? "desc" : "asc";
  const ranked = rank === undefined ? "" : `rank ${turned ? "desc" : "asc"}, `;
  const order = `${ranked}key ${direction} nulls ${turned ? "first" : "last"}, id ${turned ? "desc" : "asc"}`;
  const ranks = rank === undefined ? "" : `, ${rank} as rank`;
  const matched = `select ${id} as id, ${SORTS[sort]} as key${ranks} from ${from} where ${where}`;
  const collected = (query.q !== undefined && total <= COLLECT) || rank !== undefined;
  // The planner underestimates how far it has to walk an index for few matches: which way it is, is decided here.
  if (!collected) await tx.query("set local enable_sort = off");
  const { rows } = await tx.query<[string]>({
    text: `${collected ? `with matched as materialized (${matched}) select id from matched` : `select id from (${matched}) matched`}
      order by ${order} limit ${size} offset ${skip}`,
    values,
    rowMode: "array",
  } as pg.QueryConfig);
  const ids = rows.map(([id]) => Number(id));
  return turned ? ids.reverse() : ids;
}

/**
 * Tables and conditions of a question: rows `d`, scores `s`, or both where both are asked about. `rank`, in a search for a
 * wallet, is what its agents are ordered by before the sort.
 */
function matching({ filter, q, now }: DirectoryQuery, sort?: DirectorySort) {
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
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
  if (scoresOnly) return { from: SCORES, where: ofScores.join(" and "), values, id: "s.id", rank };
  const where = [...ofScores, ...ofRows, "d.removed_at is null"].join(" and ");
  const joins = sort === "ethos_score" ? ` ${ETHOS.joins}` : "";
  if (ofScores.length === 0) return { from: ROWS + joins, where, values, id: "d.id", rank };
  const from = `${SCORES} join ${ROWS} on d.id = s.id${joins}`;
  return { from, where, values, id: sort === "cred_score" ? "s.id" : "d.id", rank };
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

/** Totals of the whole directory; reads all of two indexes. */
export async function directoryTotals(db: Queryable): Promise<DirectoryTotals> {
  const { rows } = await db.query({
    name: "directory-totals",
    text: `
      select count(*)::float8 as total, count(*) filter (where cred_score > 0)::float8 as scored,
             coalesce(sum(cred_score), 0)::float8 as sum,
             (select count(*)::float8 from offchain.directory where removed_at is null and x402_supported) as x402
      from offchain.directory_score where cred_score is not null`,
  });
  return rows[0];
}
