/** Pages of the directory by SQL, and its parts for crawlers: what answers while memory does not. Planes of bits answer where they can (planes/), else indexes. */
import type pg from "pg";
import { hasFacets } from "../../core/directory/facets.ts";
import { listSnapshot } from "../sql/list-budget.ts";
import { family, type Queryable, statement, t } from "../sql/statement.ts";
import { findByPlanes, totalsByPlanes } from "./planes/find.ts";
import {
  type DirectoryPage,
  type DirectoryQuery,
  type DirectoryTotals,
  EXAMPLES,
  matching,
  searchedWallet,
} from "./question-sql.ts";

/** Ids of one part: a file of them stays far below the 50,000 addresses that crawlers take. */
const SITEMAP_IDS = 5_000;

const LAST = statement({
  name: "sitemap-last",
  text: "select max(id) as id from offchain.directory",
  columns: { id: t.nullable(t.int8) },
});

/**
 * The agents of the directory by ranges of their ids, for crawlers.
 * The agents of one part, counted from 0; none for a part that there is not.
 */
export const sitemapPart = statement({
  name: "sitemap-part",
  given: (part: number) => ({ after: part * SITEMAP_IDS, upTo: (part + 1) * SITEMAP_IDS }),
  params: { after: t.int8, upTo: t.int8 },
  text: `
    select platform, agent_id as "agentId", token_id as "tokenId", name from offchain.directory
    where id > $after::int8 and id <= $upTo::int8 and removed_at is null order by id`,
  columns: { platform: t.text, agentId: t.text, tokenId: t.nullable(t.int8), name: t.text },
}).rows;

/** Number of parts that there are now. */
export async function sitemapParts(db: Queryable): Promise<number> {
  const { id } = await LAST.one(db);
  return Math.ceil((id ?? 0) / SITEMAP_IDS);
}

/** Max matches of a search or of facets that are collected and sorted; beyond, the sort's index is walked. */
const MAX_COLLECTED = 20_000;

/** Not prepared: the planner sees every value, because one plan for all values would suit none. */
const COUNT = family({
  name: "directory-count",
  text(query: DirectoryQuery, $) {
    const { from, where } = matching(query, $);
    return `select count(*) as total from ${from} where ${where}`;
  },
  columns: { total: t.int8 },
  examples: EXAMPLES,
});

type CountedQuery = { query: DirectoryQuery; total: number };

const PAGE = family({
  name: "directory-page",
  text({ query, total }: CountedQuery, $) {
    const { sort, descending } = query;
    const { from, where, id, key, rank } = matching(query, $, sort);
    const { turned, skip, size } = wayTo(query, total);
    const direction = descending !== turned ? "desc" : "asc";
    const ranked = rank === undefined ? "" : `rank ${turned ? "desc" : "asc"}, `;
    const order = `${ranked}key ${direction} nulls ${turned ? "first" : "last"}, id ${turned ? "desc" : "asc"}`;
    const ranks = rank === undefined ? "" : `, ${rank} as rank`;
    const matched = `select ${id} as id, ${key} as key${ranks} from ${from} where ${where}`;
    return `${isCollected(query, total) ? `with matched as materialized (${matched}) select id from matched` : `select id from (${matched}) matched`}
      order by ${order} limit ${size} offset ${skip}`;
  },
  columns: { id: t.int8 },
  examples: EXAMPLES.flatMap((query) => [
    { query, total: 10 },
    { query: { ...query, descending: false }, total: 100_000 },
  ]),
});

const WITHOUT_SORTING = statement({
  name: "directory-without-sorting",
  text: "select set_config('enable_sort', 'off', true) as setting",
  columns: { setting: t.text },
});

/** The page and the exact total, from one snapshot. */
export async function listDirectory(pool: pg.Pool, query: DirectoryQuery): Promise<DirectoryPage> {
  return listSnapshot(pool, async (tx) => (await findByPlanes(tx, query)) ?? listByIndexes(tx, query));
}

/** The page and the total are found apart. */
export async function listByIndexes(tx: Queryable, query: DirectoryQuery): Promise<DirectoryPage> {
  const { total } = await COUNT.one(tx, query);
  if (query.offset >= total) return { total, ids: [] };
  // The planner underestimates the length of a walk along an index for few matches, so it does not choose here.
  if (!isCollected(query, total)) await WITHOUT_SORTING.run(tx);
  const ids = await PAGE.values(tx, { query, total });
  return { total, ids: wayTo(query, total).turned ? ids.reverse() : ids };
}

/**
 * Whether all matches are collected and sorted; else the sort's index is walked. A search for a wallet is ranked first,
 * and one row and the longer windows of `trending` have no index.
 */
const isCollected = (query: DirectoryQuery, total: number): boolean =>
  ((query.q !== undefined || hasFacets(query)) && total <= MAX_COLLECTED) ||
  query.row !== undefined ||
  searchedWallet(query) !== null ||
  query.sort === "trend_7d" ||
  query.sort === "trend_30d";

/** Past the middle the way from the other end is shorter: `turned` reads from there. */
function wayTo({ offset, limit }: DirectoryQuery, total: number) {
  const size = Math.min(limit, total - offset);
  const turned = offset > total / 2;
  return { size, turned, skip: turned ? total - offset - size : offset };
}

const TOTALS = statement({
  name: "directory-totals",
  text: `
    select count(*) as total, count(*) filter (where cred_score > 0) as scored,
           coalesce(sum(cred_score), 0)::int8 as sum,
           (select count(*) from offchain.directory where removed_at is null and x402_supported) as x402
    from offchain.directory_score where cred_score is not null`,
  columns: { total: t.int8, scored: t.int8, sum: t.int8, x402: t.int8 },
  prepared: true,
});

/** Totals of the whole directory; without planes it reads all of two indexes. */
export const directoryTotals = (pool: pg.Pool): Promise<DirectoryTotals> =>
  listSnapshot(pool, async (tx) => (await totalsByPlanes(tx)) ?? TOTALS.one(tx));
