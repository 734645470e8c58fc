/** Lists of agents, answered from memory when the columns are there and by SQL when they are not: the same answer either way. */
import { answering } from "../../columns/freshness.ts";
import { type LiveTableOptions, type LiveTableStats, openLiveTable } from "../../columns/live-table.ts";
import type { Condition } from "../../columns/matches.ts";
import type { ColumnTable } from "../../columns/table.ts";
import { ID, type Value } from "../../columns/values.ts";
import { entryOf } from "../../runtime/processes.ts";
import {
  type AgentCursor,
  type AgentFilter,
  type AgentPage,
  type AgentPosition,
  type AgentSort,
  listAgents,
  searchedWallet,
} from "../agents.ts";
import type { Queryable } from "../transaction.ts";
import { type AGENT_COLUMNS, COMPARABLE, source } from "./agents-source.ts";

export type AgentQuery = AgentFilter & {
  sort: AgentSort;
  order: "asc" | "desc";
  limit: number;
  position: AgentPosition;
};

export type AgentList = {
  /**
   * One page of agents from memory: token ids, the exact total, and the cursor of the next page, as `listAgents` of
   * db/agents.ts gives them; undefined when SQL has to answer. Their rows are for the caller to fetch; one may be gone by then.
   * @param minBlock the answer must hold this block: memory that has not seen it gives none
   */
  recall(query: AgentQuery, minBlock?: number): Promise<AgentPage | undefined>;
  /**
   * The same, from SQL where memory cannot answer.
   */
  list(query: AgentQuery, minBlock?: number): Promise<AgentPage>;
  /** Whether memory answers: it is there, and was compared with the database within `maxAgeMs`. */
  readonly ready: boolean;
  /** The block up to which memory has seen the index; -1 while memory does not answer. */
  readonly block: number;
  /** When memory was last known to equal the database. */
  readonly asOf: Date | undefined;
  stats(): LiveTableStats;
  /** Resolves true once `block` is seen, false after `timeoutMs`. */
  waitFor(block: number, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

export type AgentListOptions = LiveTableOptions & {
  /** Where SQL answers: for the time before and without the columns. */
  db: Queryable;
  /** False leaves every list to SQL. */
  enabled?: boolean;
  /** Memory that could not be compared with the database for so long leaves lists to SQL; see answering.ts. */
  maxAgeMs?: number;
};

/** How long a list waits for memory to see a block that the index already has, before SQL answers. */
const CATCH_UP_MS = 100;

/** A change shows in lists after two seconds at most, whatever happens to the feed. */
const MAX_AGE_MS = 1_500;

/** Opens the lists of agents; usable at once. `url` is that of the role `app`. */
export function openAgentList({ db, enabled = true, maxAgeMs = MAX_AGE_MS, ...options }: AgentListOptions): AgentList {
  const live = enabled ? openLiveTable(source, entryOf("load-agents"), options) : undefined;
  const { fresh, next, usable } = answering(live, maxAgeMs);
  const block = () => (fresh() ? live!.state!.block : -1);

  function waitFor(wanted: number, timeoutMs: number): Promise<boolean> {
    if (block() >= wanted) return Promise.resolve(true);
    if (!live) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (answer: boolean) => {
        clearTimeout(timer);
        stop();
        resolve(answer);
      };
      const stop = live.onSync(() => {
        if (block() >= wanted) settle(true);
      });
      const timer = setTimeout(() => settle(false), timeoutMs);
      live.wake();
    });
  }

  const known = new Map<string, Words>();
  /** Letters beyond ASCII are left to the database, whose rules the columns were made by. */
  async function comparable({ search, framework }: AgentFilter): Promise<Words> {
    if (isAscii(search) && isAscii(framework))
      return { search: search?.toLowerCase(), framework: framework?.toLowerCase() };
    const key = JSON.stringify([search, framework]);
    let words = known.get(key);
    if (words === undefined) {
      const { rows } = await db.query({ ...COMPARABLE, values: [search ?? null, framework ?? null] });
      words = { search: rows[0].search ?? undefined, framework: rows[0].framework ?? undefined };
      if (known.size === KNOWN_WORDS) known.clear();
      known.set(key, words);
    }
    return words;
  }

  async function recall(query: AgentQuery, minBlock = -1): Promise<AgentPage | undefined> {
    // What is a wallet's own follows from more than the columns; two indexes answer at once.
    if (next() === undefined || searchedWallet(query) !== null) return undefined;
    if (live!.state!.block < minBlock && !(await waitFor(minBlock, CATCH_UP_MS))) return undefined;
    const words = await comparable(query);
    await live!.settling;
    // What was true before need not be now.
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
    stats: () => live?.stats() ?? OFF,
    waitFor,
    close: async () => live?.close(),
  };
}

/** What a caller typed, in the form that the columns have. */
type Words = { search: string | undefined; framework: string | undefined };
const KNOWN_WORDS = 1000;

const isAscii = (text = "") => /^[\0-\x7f]*$/.test(text);

/** The answer of `listAgents` in db/agents.ts, from memory. */
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

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The key of a cursor, which is written as SQL casts it to text. */
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
  { search, owner, verified, spam, minScore = 0, maxScore = 100 }: AgentFilter,
  words: Words,
): Condition[] {
  const where: Condition[] = [];
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

/** All addresses from the prefix filled up with 0 to the prefix filled up with f. */
const addressPrefix = (column: "agentAddress" | "owner", digits: string): Condition => ({
  column,
  from: Buffer.from(digits.padEnd(40, "0"), "hex"),
  to: Buffer.from(digits.padEnd(40, "f"), "hex"),
});

const OFF: LiveTableStats = {
  phase: "off",
  rows: 0,
  bytes: 0,
  loads: 0,
  readMs: 0,
  sortMs: 0,
  syncs: 0,
  rowsRead: 0,
  ageMs: null,
  error: null,
};
