/** The tree of tens of thousands of scores in its own process, as `npm run bench -- roots` measures it: same root and valid proofs. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { measureProofs, measureReference, measureTree, OF } from "../../bench/roots.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const db = perFile(() => testDatabase({ indexed: true }));

const AGENTS = 30_000;
const LITTLE_MEMORY = 300e6;
const MUCH_MEMORY = 600e6;

it("has OpenZeppelin's root, little memory, and a valid proof for every agent that is asked for", async () => {
  expect(measureReference(1_000).sameRoot).toBe(true);
  await db.pool.query(
    `insert into onchain.agent (token_id, agent_address, owner, name, framework, minted_at, minted_block, mint_tx, verified,
       soulbound, origin, generation, parent_id, mutation_count, version, points, trait_count, updated_block)
     select i, '0x' || lpad(to_hex(i), 40, 'a'), '0x' || lpad(to_hex(i), 40, 'b'), 'Agent', 'custom', 1740000000, 1, '0x',
       false, false, 1, 0, 0, 0, '1', 0, 0, 1 from generate_series(0, $1::int - 1) i`,
    [AGENTS],
  );
  await db.pool.query(
    `insert into offchain.cred (token_id, score, ${SIGNALS.map(({ key }) => key).join(", ")}, seen_block, computed_at)
     select i, i % 101, ${SIGNALS.map(() => "0").join(", ")}, 900, now() from generate_series(0, $1::int - 1) i`,
    [AGENTS],
  );
  const tree = await measureTree(db.pool, db.url);
  expect(tree.leaves).toBe(AGENTS);
  expect(tree.storedBytes / AGENTS).toBeLessThan(26);
  expect(tree.peakBytes).toBeLessThan(LITTLE_MEMORY);
  expect(await measureProofs(db.pool, tree, 50)).toMatchObject({ leaves: AGENTS, valid: true });
});

it("tells the memory of the building, also where a large process has it built", async () => {
  const from = (path: string) => JSON.stringify(pathToFileURL(join(PROJECT_ROOT, path)).href);
  const script = `
    import { buildInProcess } from ${from("db/cred/tree/start-tree.ts")};
    import { peakMemory } from ${from("runtime/peak-memory.ts")};
    const held = Buffer.alloc(${MUCH_MEMORY}, 1);
    const { leaves, process } = await buildInProcess(${JSON.stringify({ ...OF, url: db.url, knownRoot: null })});
    console.log(JSON.stringify({ leaves, parent: peakMemory(), child: process.peakBytes, held: held.length }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    env: CHILD_ENV,
  });
  const { leaves, parent, child } = JSON.parse(stdout);
  expect(leaves).toBe(AGENTS);
  expect(parent).toBeGreaterThan(MUCH_MEMORY);
  expect(child).toBeLessThan(LITTLE_MEMORY);
});
