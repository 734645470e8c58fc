/** Lists of agents: answered from memory while it is loaded and fresh, else by SQL, with the same result. */
import type { Condition } from "../../columns/filter-cache.ts";
import { freshnessPolicy } from "../../columns/freshness-policy.ts";
import { type LiveTableOptions, openLiveTable } from "../../columns/live-table.ts";
import { initialStats, type LiveTableStats } from "../../columns/live-table-stats.ts";
import type { ColumnTable } from "../../columns/table.ts";
import { ID, type Value } from "../../columns/values.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { inTime } from "../../runtime/in-time.ts";
import { entryOf } from "../../runtime/processes.ts";
import { isAsciiText, MAX_WORDS, utf8 } from "../sql/search-words.ts";
import type { Queryable } from "../sql/transaction.ts";
import {
  type AgentCursor,
  type AgentFilter,
  type AgentPage,
  type AgentQuery,
  type AgentSort,
  listAgents,
  searchedWallet,
  secondOf,
} from "./agent-list-sql.ts";
import { type AGENT_COLUMNS, COMPARABLE, source } from "./agents-source.ts";

export type { AgentQuery };

export type AgentList = {
  /**
   * One page of agents from memory: token ids, the exact total, and the cursor of the next page, as `listAgents` of
   * db/lists/agent-list-sql.ts returns them; undefined when SQL has to answer. The caller fetches the rows; one may be removed in between.
   * @param minBlock block that the answer must include: memory without it returns undefined
   */
  recall(query: AgentQuery, minBlock?: number): Promise<AgentPage | undefined>;
  /** The same, by SQL where memory cannot answer. */
  list(query: AgentQuery, minBlock?: number): Promise<AgentPage>;
  /** Whether memory is loaded and was compared with the database within `maxAgeMs`. */
  readonly ready: boolean;
  /** The block of the index up to which memory has every change; -1 while memory is not `ready`. */
  readonly block: number;
  /** When memory was last known to equal the database. */
  readonly asOf: Date | undefined;
  /** Whether pages show everything that was committed before a moment, in milliseconds since the epoch. */
  shows(moment: number): boolean;
  stats(): LiveTableStats;
  /** Resolves true once memory has `block`, false after `timeoutMs`. */
  waitFor(block: number, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

export type AgentListOptions = LiveTableOptions & {
  /** Runs the SQL that answers while memory cannot. */
  db: Queryable;
  /** False: SQL answers every list. */
  enabled?: boolean;
  /** Max age of memory in milliseconds; what answers beyond it is in columns/freshness-policy.ts. */
  maxAgeMs?: number;
};

/** Milliseconds that a list waits for memory to get a block that the index already has, before SQL answers. */
const CATCH_UP_MS = 100;

/** A change shows in lists within two seconds even when the feed fails. */
const MAX_AGE_MS = 1_500;

/** Opens the lists of agents; usable at once. `url` is that of the role `app`. */
export function openAgentList({ db, enabled = true, maxAgeMs = MAX_AGE_MS, ...options }: AgentListOptions): AgentList {
  const live = enabled ? openLiveTable(source, entryOf("load-agents"), options) : undefined;
  const { fresh, next, usable, shows } = freshnessPolicy(live, maxAgeMs);
  const block = () => (fresh() ? live!.state!.block : -1);

  function waitFor(wanted: number, timeoutMs: number): Promise<boolean> {
    if (block() >= wanted) return Promise.resolve(true);
    if (!live) return Promise.resolve(false);
    const reached = Promise.withResolvers<boolean>();
    const stop = live.onSync(() => {
      if (block() >= wanted) reached.resolve(true);
    });
    live.wake();
    return inTime(reached.promise, timeoutMs, () => false).finally(stop);
  }

  const known = expiringCache<Words>(MAX_WORDS);
  /** Letters beyond ASCII are folded by the database, by the rules that made the columns. */
  async function comparable({ search, framework }: AgentFilter): Promise<Words> {
    if (isAsciiText(search) && isAsciiText(framework))
      return { search: search?.toLowerCase(), framework: framework?.toLowerCase() };
    const key = JSON.stringify([search, framework]);
    const kept = known.get(key);
    if (kept) return kept;
    const read = await COMPARABLE.one(db, { search: search ?? null, framework: framework ?? null });
    const words = { search: read.search ?? undefined, framework: read.framework ?? undefined };
    known.set(key, words);
    return words;
  }

  /** Check then write: memory is fresh, then the answer; it may change: compared again after each await. */
  async function recall(query: AgentQuery, minBlock = -1): Promise<AgentPage | undefined> {
    // The columns do not say which wallet an agent belongs to; SQL finds a wallet's agents by two indexes at once.
    if (next() === undefined || searchedWallet(query) !== null) return undefined;
    if (live!.state!.block < minBlock && !(await waitFor(minBlock, CATCH_UP_MS))) return undefined;
    const words = await comparable(query);
    await live!.applying;
    // The table may have become too old, or another one, during the awaits.
    const table = live!.state!.block >= minBlock ? usable() : undefined;
    return table && listFrom(table, query, words);
  }

  return {
    recall,
    list: async (query, minBlock) => (await recall(query, minBlock)) ?? listAgents(db, query),
    get ready() {
      return fresh() !== undefined;
    },
    get block() {
      return block();
    },
    get asOf() {
      return live?.asOf;
    },
    shows,
    stats: () => live?.stats() ?? initialStats("off"),
    waitFor,
    close: async () => live?.close(),
  };
}

/** The text that a caller typed, in the form in which the columns store it. */
type Words = { search: string | undefined; framework: string | undefined };

/** The answer of `listAgents` in db/lists/agent-list-sql.ts, from memory. */
function listFrom(table: ColumnTable, query: AgentQuery, words: Words): AgentPage {
  const { sort, order, limit, position } = query;
  const { ids, total, skipped, last } = table.page({
    where: conditions(query, words),
    sort: COLUMN[sort],
    descending: order === "desc",
    position:
      "after" in position
        ? { after: { key: readKey(sort, position.after.key), id: position.after.tokenId } }
        : { offset: position.offset },
    limit,
  });
  const more = last !== null && skipped + ids.length < total;
  return { total, skipped, tokenIds: ids, next: more ? cursor(query, last) : null };
}

const COLUMN: Record<AgentSort, typeof ID | keyof typeof AGENT_COLUMNS> = {
  tokenId: ID,
  credScore: "credScore",
  points: "points",
  name: "name",
  mintedAt: "mintedAt",
  framework: "framework",
};
const isText = (sort: AgentSort) => sort === "name" || sort === "framework";

/** Parses the key of a cursor, which is written as SQL casts it to text. */
function readKey(sort: AgentSort, key: string): Value {
  if (isText(sort)) return utf8(key);
  const value = Number(key);
  return Number.isSafeInteger(value) ? value : BigInt(key);
}

function cursor({ sort, order }: AgentQuery, last: { key: Value; id: number }): AgentCursor {
  const key = last.key instanceof Uint8Array ? new TextDecoder().decode(last.key) : String(last.key);
  return { sort, order, key, tokenId: last.id };
}

function conditions(
  { search, owner, verified, spam, minScore = 0, maxScore = 100, soulbound, mintOrigin, mintedAfter }: AgentFilter,
  words: Words,
): Condition[] {
  const where: Condition[] = [];
  if (soulbound !== undefined) where.push({ column: "soulbound", is: soulbound });
  if (mintOrigin !== undefined) where.push({ column: `origin:${mintOrigin}`, is: true });
  if (mintedAfter !== undefined) where.push({ column: "mintedAt", from: secondOf(mintedAfter) + 1 });
  if (minScore > 0 || maxScore < 100) where.push({ column: "credScore", from: minScore, to: maxScore });
  if (!spam) where.push({ column: "spam", is: false });
  if (owner !== undefined) where.push(addressPrefix("owner", owner.slice(2)));
  if (verified !== undefined) where.push({ column: "verified", is: verified });
  if (words.framework !== undefined) {
    const framework = utf8(words.framework);
    where.push({ column: "framework", from: framework, to: framework });
  }
  if (search !== undefined && words.search !== undefined) {
    const anyOf: Condition[] = [{ column: "searched", contains: utf8(words.search) }];
    if (/^0x[0-9a-f]{0,40}$/i.test(search))
      for (const column of ["agentAddress", "owner"] as const) anyOf.push(addressPrefix(column, search.slice(2)));
    if (/^\d{1,15}$/.test(search)) anyOf.push({ column: ID, from: Number(search), to: Number(search) });
    where.push({ anyOf });
  }
  return where;
}

/** Addresses from the prefix padded with 0 to the prefix padded with f. */
const addressPrefix = (column: "agentAddress" | "owner", digits: string): Condition => ({
  column,
  from: Buffer.from(digits.padEnd(40, "0"), "hex"),
  to: Buffer.from(digits.padEnd(40, "f"), "hex"),
});
