/** Lists, search, ranking, totals and names of agents. db/agents/facts.ts loads the data of each. */
import type { Address } from "../../core/agents/facts.ts";
import { MINT_ORIGINS, type MintOrigin, UNKNOWN_ORIGIN } from "../../core/mints/mint-origins.ts";
import { BLANKS } from "../../core/text.ts";
import { walletConfirmed } from "../agents/wallets.ts";
import { shownScoreSql } from "../cred/cred-statement.ts";
import { folded, foldedName } from "../sql/folded-text.ts";
import { family, statement, t } from "../sql/statement.ts";
import { isIndexed, type Queryable } from "../sql/transaction.ts";

/** SQL of the score that views show, of an agent `a` with its stored score `c`. */
const SCORE = shownScoreSql("a.token_id", "c.score");

/** The sort keys of a list: SQL, and the SQL type that the key of a cursor is cast to. */
const SORTS = {
  tokenId: { sql: "a.token_id", type: "int8" },
  credScore: { sql: SCORE, type: "int8" },
  points: { sql: "a.points", type: "numeric" },
  name: { sql: `lower(a.name collate "und-x-icu") collate "C"`, type: "text" },
  mintedAt: { sql: "a.minted_at", type: "int8" },
  framework: { sql: `lower(a.framework) collate "C"`, type: "text" },
} as const;
export type AgentSort = keyof typeof SORTS;
export const AGENT_SORTS = Object.keys(SORTS) as [AgentSort, ...AgentSort[]];

export type AgentFilter = {
  /**
   * Part of a name in any case and with any accents, or a token id; a text that begins with 0x is also a prefix of the
   * address of the agent's wallet or of its owner. A whole address finds only the agents of that wallet: its own, then
   * those that it owns, then those that only name it.
   */
  search?: string | undefined;
  /** Exact; lower-case. */
  owner?: Address | undefined;
  /** Exact, in any case. */
  framework?: string | undefined;
  verified?: boolean | undefined;
  /** True: include names that consist of one character, repeated or not. */
  spam?: boolean | undefined;
  /** Bounds of the shown score, inclusive. */
  minScore?: number | undefined;
  maxScore?: number | undefined;
  soulbound?: boolean | undefined;
  mintOrigin?: MintOrigin | undefined;
  /** Registered later than this. */
  mintedAfter?: Date | undefined;
};

/** Where a page begins: after a number of agents, or after the agent of a cursor. */
type AgentPosition = { offset: number } | { after: AgentCursor };
export type AgentCursor = {
  sort: AgentSort;
  order: "asc" | "desc";
  key: string;
  tokenId: number;
  /** In a search for a wallet: 0 (or absent) for its own agents, 1 for those that it owns, 2 for those that only name it. */
  rank?: number | undefined;
};

export type AgentPage = {
  total: number;
  skipped: number;
  tokenIds: number[];
  /** Cursor of the page's last agent; null at the end of the list. */
  next: AgentCursor | null;
};

/** The wallet that is searched for, lower-case; null when the search is not a whole address. */
export const searchedWallet = ({ search = "" }: AgentFilter): string | null =>
  /^0x[0-9a-f]{40}$/i.test(search) ? search.toLowerCase() : null;

/** SQL of the names that lists hide by default; core/spam.ts is the same rule. */
const isSpam = (blanks: string) => `
  (select char_length(t.name) <= 1 or replace(t.name, left(t.name, 1), '') = '' from (select btrim(a.name, ${blanks})) as t(name))`;

export type AgentQuery = AgentFilter & {
  sort: AgentSort;
  order: "asc" | "desc";
  limit: number;
  position: AgentPosition;
};

/**
 * One page of agents in one statement: filters first, then the exact total, then the page. Equal keys are ordered by
 * token id, ascending.
 */
export async function listAgents(db: Queryable, query: AgentQuery): Promise<AgentPage> {
  const { sort, order, position } = query;
  const { total, before_cursor, page } = await LIST.one(db, query);
  const skipped = "after" in position ? before_cursor : position.offset;
  const last = page.at(-1);
  const more = last !== undefined && skipped + page.length < total;
  return {
    total,
    skipped,
    tokenIds: page.map(([tokenId]) => tokenId),
    next: more ? { sort, order, key: last[1], tokenId: last[0], ...(last[2] > 0 && { rank: last[2] }) } : null,
  };
}

/** SQL of one page; `$` adds a parameter. */
function listSql(query: AgentQuery, $: (value: unknown) => string): string {
  const { sort, order, limit, position } = query;
  const { sql: key, type } = SORTS[sort];
  const where = conditions(query, $);
  const wallet = searchedWallet(query);
  const cursor = "after" in position ? position.after : undefined;
  const beyond = order === "asc" ? ">" : "<";
  const afterCursor = cursor
    ? after(`${$(cursor.key)}::text::${type}${type === "text" ? ` collate "C"` : ""}`, `${$(cursor.tokenId)}::int8`)
    : "";
  function after(keyValue: string, tokenId: string) {
    const later = `(key ${beyond} ${keyValue} or (key = ${keyValue} and token_id > ${tokenId}))`;
    if (wallet === null) return later;
    const rank = `${$(cursor?.rank ?? 0)}::int4`;
    return `(rank > ${rank} or (rank = ${rank} and ${later}))`;
  }
  const rank =
    wallet === null
      ? "0"
      : `case when a.agent_address <> ${$(wallet)} then 1 when ${walletConfirmed("a")} then 0 else 2 end`;
  const ordered = `${wallet === null ? "" : "rank, "}key ${order}, token_id`;
  return `
    with matched as materialized (
      select a.token_id, ${key} as key, ${rank} as rank
      from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
      ${where.length > 0 ? `where ${where.join(" and ")}` : ""}
    ), page as (
      select token_id, key, rank from matched ${afterCursor && `where ${afterCursor}`}
      order by ${ordered}
      limit ${$(limit)}::int8 offset ${$("offset" in position ? position.offset : 0)}::int8
    )
    select (select count(*) from matched)::int8 as total,
           ${afterCursor ? `(select count(*) from matched where not ${afterCursor})` : "0"}::int8 as before_cursor,
           coalesce((select json_agg(json_build_array(token_id, key::text, rank) order by ${ordered}) from page), '[]') as page`;
}

const ORIGIN = `coalesce((array[${MINT_ORIGINS.map(({ name }) => `'${name}'`).join(", ")}])[a.origin + 1], '${UNKNOWN_ORIGIN.name}')`;

/** The last second of the chain that is not after a time: an agent minted in it is not either. */
export const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

const WALLET = `0x${"a".repeat(40)}` as const;
const FIRST_PAGE: AgentQuery = { sort: "tokenId", order: "asc", limit: 1, position: { offset: 0 } };
const afterOne = (sort: AgentSort, key: string, rank?: number): AgentPosition => ({
  after: { sort, order: "asc", key, tokenId: 1, rank },
});

const LIST = family({
  name: "agents",
  text: listSql,
  columns: { total: t.int8, before_cursor: t.int8, page: t.json<[tokenId: number, key: string, rank: number][]>() },
  examples: [
    ...AGENT_SORTS.map((sort): AgentQuery => ({ ...FIRST_PAGE, sort })),
    ...AGENT_SORTS.map((sort): AgentQuery => ({ ...FIRST_PAGE, sort, position: afterOne(sort, "1") })),
    { ...FIRST_PAGE, search: WALLET },
    { ...FIRST_PAGE, search: WALLET, order: "desc", position: afterOne("tokenId", "1", 1) },
    { ...FIRST_PAGE, search: "0xab", spam: true, owner: WALLET, framework: "eliza", verified: true, minScore: 1 },
    { ...FIRST_PAGE, search: "7", maxScore: 99 },
    { ...FIRST_PAGE, soulbound: true, mintOrigin: "API", mintedAfter: new Date(0) },
  ],
  prepared: true,
});

/** The total of `listAgents`, without a page: nothing is sorted or stored meanwhile. */
export const countAgents = family({
  name: "agents-count",
  text(filter: AgentFilter, $) {
    const where = conditions(filter, $);
    return `
      select count(*) as total from onchain.agent a left join offchain.cred c on c.token_id = a.token_id
      ${where.length > 0 ? `where ${where.join(" and ")}` : ""}`;
  },
  columns: { total: t.int8 },
  examples: [{}, { spam: true }, { spam: true, minScore: 50 }],
  prepared: true,
}).onlyValue;

function conditions(filter: AgentFilter, $: (value: unknown) => string): string[] {
  const { search, owner, framework, verified, spam, minScore = 0, maxScore = 100 } = filter;
  const { soulbound, mintOrigin, mintedAfter } = filter;
  const where: string[] = [];
  if (!spam) where.push(`not ${isSpam($(BLANKS))}`);
  if (verified !== undefined) where.push(`a.verified = ${$(verified)}`);
  if (owner !== undefined) where.push(`a.owner = ${$(owner)}`);
  if (framework !== undefined) where.push(`lower(a.framework) = lower(${$(framework)})`);
  if (minScore > 0) where.push(`${SCORE} >= ${$(minScore)}`);
  if (maxScore < 100) where.push(`${SCORE} <= ${$(maxScore)}`);
  if (soulbound !== undefined) where.push(`a.soulbound = ${$(soulbound)}`);
  if (mintOrigin !== undefined) where.push(`${ORIGIN} = ${$(mintOrigin)}`);
  if (mintedAfter !== undefined) where.push(`a.minted_at > ${$(secondOf(mintedAfter))}`);
  const wallet = searchedWallet(filter);
  if (wallet !== null) {
    const of = $(wallet);
    where.push(`(a.agent_address = ${of} or a.owner = ${of})`);
  } else if (search !== undefined) {
    const name = $(search);
    const matches = [`strpos(${foldedName("a.name")}, ${folded(`${name}::text`)}) > 0`];
    if (/^0x[0-9a-f]{0,40}$/i.test(search)) {
      const prefix = $(search.toLowerCase());
      matches.push(`starts_with(a.agent_address, ${prefix})`, `starts_with(a.owner, ${prefix})`);
    }
    if (/^\d{1,15}$/.test(search)) matches.push(`a.token_id = ${$(Number(search))}`);
    where.push(`(${matches.join(" or ")})`);
  }
  return where;
}

export const agentTotals = statement({
  name: "agents-totals",
  // One index answers for the agents. A score without an agent exists only between a reorganisation and its retraction.
  text: `
      select coalesce(sum(n), 0)::int8 as "totalAgents", coalesce(sum(n) filter (where verified), 0)::int8 as "totalVerified",
             coalesce(sum(n) filter (where soulbound), 0)::int8 as "totalSoulLocked",
             (select count(*) from onchain.handshake)::int8 as "totalHandshakes",
             (select coalesce(round(avg(score), 1), 0) from offchain.cred)::float8 as "avgCredScore"
      from (select verified, soulbound, count(*) as n from onchain.agent group by verified, soulbound) kinds`,
  columns: {
    totalAgents: t.int8,
    totalVerified: t.int8,
    totalSoulLocked: t.int8,
    totalHandshakes: t.int8,
    /** Average over agents with a stored score, one decimal. */
    avgCredScore: t.float8,
  },
  prepared: true,
}).one;

/** The token with a name of the .agent namespace; null when the name is free. `key`: the name in lower case. */
export const nameHolder = statement({
  name: "agents-name-holder",
  params: { key: t.text },
  text: "select token_id from onchain.agent_name where name = $key",
  columns: { token_id: t.int8 },
  prepared: true,
}).value;

const FIRST = statement({
  name: "first-agent",
  text: `
    select token_id as "tokenId" from onchain.agent order by token_id limit 1`,
  columns: { tokenId: t.int8 },
});

/** The lowest token id there is; null without an agent, or without an index. */
export const firstAgent = async (db: Queryable): Promise<number | null> =>
  (await isIndexed(db)) ? await FIRST.value(db) : null;
