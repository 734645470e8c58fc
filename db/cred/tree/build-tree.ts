/** Builds the tree of all scores from one snapshot of the database. */
import type pg from "pg";
import { copyRows } from "../../../columns/copy-rows.ts";
import type { Address, Hex } from "../../../core/agents/facts.ts";
import { FIELD_END, packTree, type TreePart } from "../../../core/cred/tree/packed.ts";
import { buildTree, type LeafColumns } from "../../../core/cred/tree/tree.ts";
import { readIndexState } from "../../operations/index-state.ts";
import { openClient } from "../../sql/connect.ts";
import { statement, t } from "../../sql/statement.ts";
import { snapshot } from "../../sql/transaction.ts";

export type TreeRequest = {
  /** Of the database, with its password. */
  url: string;
  chainId: number;
  /** The contract of the identity token, lower-case. */
  registry: Address;
  /** A tree with this root is known: its parts are left out. */
  knownRoot: Hex | null;
};

/** What was built. `block` is the index's, in the snapshot. Times in milliseconds. */
export type TreeSummary = { root: Hex; leaves: number; block: number; readMs: number; buildMs: number };

/**
 * Agents that exist and have a score of known facts, in the order of the tree's columns. A contract that counts up gives no token an id
 * that is too large for a leaf; an agent with such an id has no proof, and the other agents have theirs.
 */
const SCORES = `
  select c.token_id, c.score, floor(extract(epoch from c.computed_at))::int8, c.seen_block
  from offchain.cred c where exists (select from onchain.agent a where a.token_id = c.token_id)
    and c.token_id < ${FIELD_END} and c.seen_block >= 0 order by c.token_id`;

const COUNT = statement({
  name: "cred-tree-count",
  text: "select count(*)::int8 as scores from offchain.cred",
  columns: { scores: t.int8 },
});

/**
 * @param take receives the parts of the tree one by one, unless its root is `knownRoot`; awaited
 * @returns null while there is no index, or no agent has a score
 * @throws the database's error
 */
export async function buildCredTree(
  { url, chainId, registry, knownRoot }: TreeRequest,
  take: (part: TreePart) => Promise<void> | void,
): Promise<TreeSummary | null> {
  const startedAt = performance.now();
  const read = await readLeaves(url, { chainId, registry });
  if (read === null || read.columns.tokenIds.length === 0) return null;
  const readMs = performance.now() - startedAt;
  const tree = buildTree(read.columns);
  if (tree.root !== knownRoot) for (const part of packTree(read.columns, tree)) await take(part);
  return {
    root: tree.root,
    leaves: read.columns.tokenIds.length,
    block: read.block,
    readMs: Math.round(readMs),
    buildMs: Math.round(performance.now() - startedAt - readMs),
  };
}

/** All scores and the index's block, of one snapshot; null while there is no index. */
async function readLeaves(
  url: string,
  of: Pick<LeafColumns, "chainId" | "registry">,
): Promise<{ columns: LeafColumns; block: number } | null> {
  const client = openClient({ connectionString: url, application_name: "cred-tree", connectionTimeoutMillis: 5_000 });
  // The statement that is running rejects with the error.
  client.on("error", () => {});
  await client.connect();
  try {
    // The indexer cannot switch its views while this transaction is open, and hashing takes long: it ends here.
    return await snapshot(client, (tx) => readSnapshot(tx, of));
  } finally {
    await client.end();
  }
}

async function readSnapshot(tx: pg.ClientBase, of: Pick<LeafColumns, "chainId" | "registry">) {
  const { indexedBlock } = await readIndexState(tx);
  if (indexedBlock === null) return null;
  const { scores: room } = await COUNT.one(tx);
  const [tokenIds, computedAt, blocks] = [new Float64Array(room), new Float64Array(room), new Float64Array(room)];
  const scores = new Uint8Array(room);
  let count = 0;
  await copyRows(tx, SCORES, (row) => {
    tokenIds[count] = row.integer(0);
    scores[count] = row.small(1)!;
    computedAt[count] = row.integer(2);
    blocks[count] = row.integer(3);
    count++;
  });
  const columns = {
    ...of,
    tokenIds: tokenIds.subarray(0, count),
    scores: scores.subarray(0, count),
    computedAt: computedAt.subarray(0, count),
    blocks: blocks.subarray(0, count),
  };
  return { columns, block: indexedBlock };
}
