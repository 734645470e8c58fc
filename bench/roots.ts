/** `npm run bench -- roots [--short]`: the tree of all scores in a process of its own, compared with OpenZeppelin's library, and the proofs of a kept tree. */
import { join } from "node:path";
import { runToEnd } from "../harness/child.ts";
import { megabytes, seconds } from "../harness/figures.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { measureProofs, measureReference, measureTree } from "./roots/measure.ts";

/** @param args `--short` for 20,000 agents and 2,000 leaves of the reference instead of 1,000,000 and 20,000 */
export default async function roots(args: string[]): Promise<void> {
  const [agents, referenced] = args.includes("--short") ? [20_000, 2_000] : [1_000_000, 20_000];
  await withPostgres("bench-roots", { max: 2 }, async ({ postgres, pool }) => {
    await runToEnd(join(import.meta.dirname, "list/world.ts"), postgres.url, agents);
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
