/** The agents as a column table: its columns, and how it follows the index's rows and the stored scores. */
import type pg from "pg";
import { type CommitSnapshot, changedBetween } from "../../columns/commit-snapshot.ts";
import { type CopyRow, copyRows, copyValues } from "../../columns/copy-rows.ts";
import { decodeHex } from "../../columns/hex-bytes.ts";
import type { Changes, TableSource } from "../../columns/table-source.ts";
import type { TableDefinition, Values } from "../../columns/values.ts";
import { MINT_ORIGINS, type MintOrigin, mintOriginAt } from "../../core/mints/mint-origins.ts";
import { isSpam } from "../../core/spam.ts";
import { shownScoreSql } from "../cred/cred-statement.ts";
import { INDEX_CHANNEL, readIndexState } from "../operations/index-state.ts";
import { openClient } from "../sql/connect.ts";
import { READ_COMMIT_SNAPSHOT } from "../sql/database-clock.ts";
import { isAscii, unmarked, unmarkedName } from "../sql/folded-text.ts";
import { family, statement, t } from "../sql/statement.ts";
import { isIndexed } from "../sql/transaction.ts";

export const AGENT_COLUMNS = {
  credScore: { kind: "number" },
  points: { kind: "number" },
  mintedAt: { kind: "number" },
  /** Lower case. */
  name: { kind: "text" },
  /** Lower case. */
  framework: { kind: "text", repeats: true },
  searched: { kind: "search", of: "name" },
  agentAddress: { kind: "bytes", width: 20 },
  owner: { kind: "bytes", width: 20 },
  verified: { kind: "flag" },
  spam: { kind: "flag" },
  soulbound: { kind: "flag" },
  ...(Object.fromEntries(MINT_ORIGINS.map(({ name }) => [`origin:${name}`, { kind: "flag" }])) as Record<
    `origin:${MintOrigin}`,
    { kind: "flag" }
  >),
} as const satisfies TableDefinition;

/** Position in the index and in the scores up to which the table has every change. */
export type AgentsState = {
  /** Index schema that the rows came from. */
  schema: string | null;
  /** Whether the rows came from the copy that is served while the indexer restarts. */
  retainedView: boolean;
  /** Block of the index up to which the table has every row. */
  block: number;
  /** Block up to which a reorganisation can change no row. */
  finalizedBlock: number;
  /** Scores that this snapshot sees are in the table. */
  scores: CommitSnapshot;
  /** Token id → block of the last change, of agents changed above `finalizedBlock`: a reorganisation may undo these. */
  recent: Map<number, number>;
  /** When `recent` was last compared with the database, in milliseconds since 1970. */
  comparedAt: number;
};

/** Milliseconds between two comparisons of the agents in `recent`, while block numbers only increase. */
const COMPARE_MS = 1_000;

/** The score as db/lists/agent-list-sql.ts computes it: the stored one, or the one that will be stored next. */
const SCORE = `(${shownScoreSql("a.token_id", "c.score")})`;

/** SQL of a framework in the form that filters compare. */
const loweredFramework = (text: string) => `lower(${text})`;

/**
 * Keys and texts are made by the same expressions as in db/lists/agent-list-sql.ts, so that memory and SQL agree. Names in ASCII,
 * which most are, are read unchanged and folded here instead of in the database.
 */
const SELECT = `
  select a.token_id, ${SCORE}::int8, a.points, a.minted_at, a.name,
    case when ${isAscii("a.name")} then null else lower(a.name collate "und-x-icu") end,
    ${loweredFramework("a.framework")},
    case when ${isAscii("a.name")} then null else ${unmarkedName("a.name")} end,
    a.agent_address, a.owner, a.verified, a.updated_block, a.soulbound, a.origin
  from onchain.agent a left join offchain.cred c on c.token_id = a.token_id`;

const ORIGIN_FLAGS = new Map(
  MINT_ORIGINS.map(({ name }) => [name, MINT_ORIGINS.map((origin) => origin.name === name)]),
);

/** A row of SELECT, by the positions of its columns there, as the values of AGENT_COLUMNS in their order. */
function read(row: CopyRow): Values {
  const name = row.bytes(4)!;
  const lower = row.bytes(5);
  return [
    row.integer(1),
    row.numeric(2),
    row.integer(3),
    lower ?? lowerAscii(name),
    row.bytes(6),
    row.bytes(7),
    addressBytes(row.bytes(8)!),
    addressBytes(row.bytes(9)!),
    row.flag(10),
    lower === null ? isAsciiSpam(name) : isSpam(new TextDecoder().decode(name)),
    row.flag(12),
    ...ORIGIN_FLAGS.get(mintOriginAt(row.medium(13) ?? -1).name)!,
  ];
}
/** Its position in SELECT. */
const UPDATED_BLOCK = 11;

function lowerAscii(text: Uint8Array): Uint8Array {
  const lower = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) lower[i] = text[i]! >= 65 && text[i]! <= 90 ? text[i]! + 32 : text[i]!;
  return lower;
}

/** `isSpam` for names in ASCII, whose bytes are their characters. */
function isAsciiSpam(name: Uint8Array): boolean {
  let from = 0;
  let to = name.length;
  while (from < to && isBlank(name[from]!)) from++;
  while (to > from && isBlank(name[to - 1]!)) to--;
  let same = from + 1;
  while (same < to && name[same] === name[from]) same++;
  return same >= to;
}
const isBlank = (code: number) => code === 32 || (code >= 9 && code <= 13);

/** The 20 bytes of an address given as 0x and 40 hex digits. */
function addressBytes(text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(20);
  if (!decodeHex(text, 2, bytes, 0)) throw new Error("an address of an agent is none");
  return bytes;
}

/** Folds what a caller typed, where it has letters beyond ASCII: $1 as names are, $2 as frameworks are. */
export const COMPARABLE = statement({
  name: "agents-source-comparable",
  params: { search: t.nullable(t.text), framework: t.nullable(t.text) },
  text: `select ${unmarked("$search::text")} as search, ${loweredFramework("$framework::text")} as framework`,
  columns: { search: t.nullable(t.text), framework: t.nullable(t.text) },
  prepared: true,
});

const COUNT = statement({
  name: "agents-source-count",
  text: "select count(*) as count from onchain.agent",
  columns: { count: t.int8 },
});

const TOTALS = statement({
  name: "agents-source-totals",
  text: `select count(*)::float8 as count, coalesce(sum(${SCORE}), 0)::float8 as "credScore"
    from onchain.agent a left join offchain.cred c on c.token_id = a.token_id`,
  columns: { count: t.float8, credScore: t.float8 },
});

/** Agents that a reorganisation may still change. */
const RECENT = statement({
  name: "agents-recent",
  params: { finalizedBlock: t.nullable(t.int8) },
  text: "select token_id, updated_block from onchain.agent where updated_block > $finalizedBlock",
  columns: { token_id: t.int8, updated_block: t.int8 },
});

/** Scores that changed between two commit snapshots. */
const CHANGED_SCORES = family({
  name: "agents-changed-scores",
  text: ({ before, now }: { before: CommitSnapshot; now: CommitSnapshot }) =>
    `select token_id, score from offchain.cred where ${changedBetween("changed_xid", before, now)}`,
  columns: { token_id: t.int8, score: t.int2 },
  examples: [
    { before: { xmax: "5", inProgress: [] }, now: { xmax: "9", inProgress: [] } },
    { before: { xmax: "5", inProgress: ["3"] }, now: { xmax: "9", inProgress: ["7"] } },
  ],
});

export const source: TableSource<AgentsState> = {
  definition: AGENT_COLUMNS,
  openClient,
  select: SELECT,
  read,
  count: async (tx) => (await COUNT.one(tx)).count,
  bytesPerRow: 185,
  totals: (tx) => TOTALS.one(tx),
  channel: INDEX_CHANNEL,

  async begin(tx) {
    if (!(await isIndexed(tx))) return null;
    const index = await readIndexState(tx);
    if (!index.ready) return null;
    const recent = await RECENT.rows(tx, { finalizedBlock: index.finalizedBlock });
    return {
      schema: index.schema,
      retainedView: index.retainedView,
      block: index.indexedBlock!,
      finalizedBlock: index.finalizedBlock!,
      scores: await READ_COMMIT_SNAPSHOT.one(tx),
      recent: new Map(recent.map(({ token_id, updated_block }) => [token_id, updated_block])),
      comparedAt: Date.now(),
    };
  },

  async sync(tx, state) {
    if (!(await isIndexed(tx))) return "wait";
    const index = await readIndexState(tx);
    if (!index.ready) return "wait";
    if (index.schema !== state.schema) return "reload";
    const block = index.indexedBlock!;
    // While block numbers only increase, rows with newer blocks are the changes. A reorganisation may also have replaced
    // older rows: comparing all recent ones shows it, at once when the index shows a reorganisation, else once a second.
    const compare =
      block < state.block || index.retainedView !== state.retainedView || Date.now() - state.comparedAt >= COMPARE_MS;
    const changes: Changes = { puts: [], sets: [], deletes: [] };
    const recent = new Map(state.recent);
    const seen = await readAgents(
      tx,
      `where a.updated_block > ${compare ? state.finalizedBlock : state.block}`,
      changes,
    );
    for (const [id, updatedBlock] of seen) recent.set(id, updatedBlock);
    if (compare)
      await readVanished(
        tx,
        [...recent.keys()].filter((id) => !seen.has(id)),
        recent,
        changes,
      );
    const finalizedBlock = compare ? index.finalizedBlock! : state.finalizedBlock;
    for (const [id, updatedBlock] of recent) if (updatedBlock <= finalizedBlock) recent.delete(id);
    const scores = await READ_COMMIT_SNAPSHOT.one(tx);
    for (const { token_id, score } of await CHANGED_SCORES.rows(tx, { before: state.scores, now: scores }))
      changes.sets.push([token_id, { credScore: score }]);
    const comparedAt = compare ? Date.now() : state.comparedAt;
    return {
      changes,
      state: { ...state, retainedView: index.retainedView, block, finalizedBlock, scores, recent, comparedAt },
    };
  },
};

/** Reads agents into `changes.puts`. @returns token id → block of the last change */
async function readAgents(tx: pg.ClientBase, where: string, changes: Changes): Promise<Map<number, number>> {
  const blocks = new Map<number, number>();
  await copyRows(tx, `${SELECT} ${where}`, (row) => {
    const id = row.integer(0);
    blocks.set(id, row.integer(UPDATED_BLOCK));
    changes.puts.push([id, copyValues(read(row))]);
  });
  return blocks;
}

/** Reads again agents that are no longer among the recently changed ones: a reorganisation undid the change, or the agent. */
async function readVanished(
  tx: pg.ClientBase,
  ids: number[],
  recent: Map<number, number>,
  changes: Changes,
): Promise<void> {
  if (ids.length === 0) return;
  const agents = await readAgents(tx, `where a.token_id in (${ids.join(",")})`, changes);
  for (const id of ids) {
    recent.delete(id);
    if (!agents.has(id)) changes.deletes.push(id);
  }
}
