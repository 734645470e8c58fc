/** The tree of tens of thousands of scores in its own process, as `npm run bench -- roots` measures it: same root and valid proofs. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { measureProofs, measureReference, measureTree } from "../../bench/roots/measure.ts";
import { SIGNALS } from "../../core/cred.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ indexed: true });
});
afterAll(() => db.drop());

const AGENTS = 30_000;

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
  expect(tree.peakBytes).toBeLessThan(300e6);
  expect(await measureProofs(db.pool, tree, 50)).toMatchObject({ leaves: AGENTS, valid: true });
});
