/** `npm run bench -- roots [--short]`: the tree of all scores in a process of its own, compared with OpenZeppelin's library, and the proofs of a kept tree. */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import type pg from "pg";
import { LEAF_TYPES, leafValues, tierNumber } from "../core/cred/tree/leaf.ts";
import { buildTree, type LeafColumns } from "../core/cred/tree/tree.ts";
import { proofOf } from "../db/cred/cred-epochs.ts";
import { epochsState, storeEpoch } from "../db/cred/store-cred-epoch.ts";
import { buildInProcess } from "../db/cred/tree/start-tree.ts";
import { transaction } from "../db/sql/transaction.ts";
import { runToEnd } from "../harness/child.ts";
import { cpuMsSince, megabytes, quantile, seconds, stopwatch } from "../harness/figures.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";

/** @param args `--short` for 20,000 agents and 2,000 leaves of the reference instead of 1,000,000 and 20,000 */
export default async function roots(args: string[]): Promise<void> {
  const [agents, referenced] = args.includes("--short") ? [20_000, 2_000] : [1_000_000, 20_000];
  await withPostgres("bench-roots", { max: 2 }, async ({ postgres, pool }) => {
    await runToEnd(join(import.meta.dirname, "synthetic/world.ts"), postgres.url, agents);
    const reference = measureReference(referenced);
    console.log(`OpenZeppelin's library, ${referenced} leaves: ${reference.theirsUs.toFixed(1)} µs of CPU per leaf`);
    console.log(`this tree, the same leaves: ${reference.oursUs.toFixed(1)} µs of CPU per leaf`);
    console.log(`ratio: ${(reference.theirsUs / reference.oursUs).toFixed(1)}; same root: ${reference.sameRoot}`);

    const tree = await measureTree(pool, postgres.url);
    console.log(`\n${tree.leaves} leaves in a process of its own:`);
    console.log(
      `  reading ${seconds(tree.readMs)}, tree ${seconds(tree.buildMs)}, in all ${seconds(tree.wholeMs)}, CPU ${seconds(tree.cpuMs)}`,
    );
    console.log(`  peak memory of the process ${megabytes(tree.peakBytes)}`);
    console.log(`  longest turn of the event loop of the worker ${tree.longestTurnMs.toFixed(0)} ms`);
    console.log(`  storing ${seconds(tree.storeMs)}, ${(tree.storedBytes / 1e6).toFixed(1)} MB`);
    const proofs = await measureProofs(pool, tree, 1_000);
    console.log(
      `\nproofs: p50 ${proofs.p50.toFixed(2)} ms, p95 ${proofs.p95.toFixed(2)} ms, all valid: ${proofs.valid}`,
    );
  });
}

export const OF = { chainId: 8453, registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" } as const;
const CONTRACT = "0x00000000000000000000000000000000000c0de0";

/** Builds the tree of all stored scores in a process of its own, and stores it as epoch 1. */
export async function measureTree(pool: pg.Pool, url: string) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const [wholeMs, tree] = await stopwatch(() => buildInProcess({ ...OF, url, knownRoot: null }));
  delay.disable();
  if (tree === null) throw new Error("there are no scores");
  const at = new Date();
  const { root, leaves, block, readMs, buildMs, parts, process: child } = tree;
  const epoch = {
    ...OF,
    epoch: 1,
    contract: CONTRACT,
    root,
    leaves,
    block,
    computedAt: at,
    builtAt: at,
    buildMs,
  } as const;
  const [storeMs] = await stopwatch(() =>
    transaction(pool, async (tx) => storeEpoch(tx, epoch, parts, { data: "0x00", seen: await epochsState(tx) })),
  );
  return {
    ...{ root, leaves, readMs, buildMs, wholeMs, storeMs, ...child! },
    longestTurnMs: delay.max / 1e6,
    storedBytes: parts.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}

/** Proofs of `count` agents spread over the epoch, each checked. @returns milliseconds per proof */
export async function measureProofs(pool: pg.Pool, { leaves, root }: { leaves: number; root: string }, count: number) {
  const { rows } = await pool.query<{ token_id: number }>(
    "select token_id from offchain.cred order by token_id * 7919 % 1000003 limit $1",
    [count],
  );
  const times: number[] = [];
  let valid = 0;
  for (const { token_id: tokenId } of rows) {
    const [ms, found] = await stopwatch(() => proofOf(pool, 1, tokenId));
    times.push(ms);
    if (!found || found.root !== root || found.leaf.tokenId !== tokenId) continue;
    if (StandardMerkleTree.verify(root, [...LEAF_TYPES], [...leafValues(found.leaf)], found.proof)) valid++;
  }
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  return { leaves, p50, p95, valid: valid === rows.length && valid > 0 };
}

/** The same leaves by OpenZeppelin's library and by this service's tree. @returns microseconds of CPU per leaf */
export function measureReference(count: number) {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const columns: LeafColumns = {
    ...OF,
    tokenIds: Float64Array.from(numbers),
    scores: Uint8Array.from(numbers, (i) => i % 101),
    computedAt: Float64Array.from(numbers, (i) => 1_790_000_000 + i),
    blocks: Float64Array.from(numbers, (i) => 42_254_000 + i),
  };
  const leaves = numbers.map((i) => ({
    ...{ ...OF, tokenId: i, score: i % 101, tier: tierNumber(i % 101) },
    ...{ computedAt: 1_790_000_000 + i, block: 42_254_000 + i },
  }));
  const theirs = cpuTimed(() =>
    StandardMerkleTree.of(
      leaves.map((leaf) => [...leafValues(leaf)]),
      [...LEAF_TYPES],
    ),
  );
  const ours = cpuTimed(() => buildTree(columns));
  return {
    theirsUs: (theirs.ms * 1_000) / count,
    oursUs: (ours.ms * 1_000) / count,
    sameRoot: theirs.result.root === ours.result.root,
  };
}

/** CPU time: other work on the machine does not count. */
function cpuTimed<T>(work: () => T): { result: T; ms: number } {
  const before = process.cpuUsage();
  const result = work();
  return { result, ms: cpuMsSince(before) };
}
