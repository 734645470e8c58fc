/** `npm run bench -- roots [--short]`: the tree of all scores in a process of its own, beside OpenZeppelin's library, and the proofs of a kept tree. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openPool } from "../db/sql/connect.ts";
import { removePostgres, startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { measureProofs, measureReference, measureTree } from "./roots/measure.ts";

/** @param args `--short` for 20,000 agents and 2,000 leaves of the reference instead of 1,000,000 and 20,000 */
export default async function roots(args: string[]): Promise<void> {
  const [agents, referenced] = args.includes("--short") ? [20_000, 2_000] : [1_000_000, 20_000];
  const directory = scratchDirectory("bench-roots", { onDisk: true });
  const server = await startPostgres({ dataDir: join(directory, "pg") });
  const pool = openPool({ connectionString: server.url, max: 2 });
  try {
    const planting = fork(join(import.meta.dirname, "list/world.ts"), [server.url, String(agents)]);
    const [code] = await once(planting, "exit");
    if (code !== 0) throw new Error("the agents could not be planted");

    const reference = measureReference(referenced);
    console.log(`OpenZeppelin's library, ${referenced} leaves: ${reference.theirsUs.toFixed(1)} µs of CPU per leaf`);
    console.log(`this tree, the same leaves: ${reference.oursUs.toFixed(1)} µs of CPU per leaf`);
    console.log(`ratio: ${(reference.theirsUs / reference.oursUs).toFixed(1)}; same root: ${reference.sameRoot}`);

    const tree = await measureTree(pool, server.url);
    console.log(`\n${tree.leaves} leaves in a process of its own:`);
    console.log(
      `  reading ${seconds(tree.readMs)}, tree ${seconds(tree.buildMs)}, in all ${seconds(tree.wholeMs)}, CPU ${seconds(tree.cpuMs)}`,
    );
    console.log(`  peak memory of the process ${Math.round(tree.peakBytes / 1e6)} MB`);
    console.log(`  longest turn of the event loop of the worker ${tree.longestTurnMs.toFixed(0)} ms`);
    console.log(`  storing ${seconds(tree.storeMs)}, ${(tree.storedBytes / 1e6).toFixed(1)} MB`);
    const proofs = await measureProofs(pool, tree, 1_000);
    console.log(
      `\nproofs: p50 ${proofs.p50.toFixed(2)} ms, p95 ${proofs.p95.toFixed(2)} ms, all valid: ${proofs.valid}`,
    );
  } finally {
    await pool.end();
    await server.stop();
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
