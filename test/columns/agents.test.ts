/** Lists of agents from memory against SQL: thousands of random questions, before and after random changes. */
import fc from "fast-check";
import { beforeAll, expect, inject, test } from "vitest";
import { countAgents, listAgents } from "../../db/lists/agent-list-sql.ts";
import { openAgentList } from "../../db/lists/agents.ts";
import { plantCheckpoint, plantOnchain } from "../../harness/onchain.ts";
import { LONG } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { forAllLater } from "../support/for-all.ts";
import { isDeep, shareOf } from "../support/share.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { agentRow, askBoth, question, settled, writeAgents, writeScores } from "./support.ts";

const AGENTS = 2000;
const ROUNDS = isDeep() ? 5 : 3;
/** In tens. */
const QUESTIONS = shareOf(30, 4);
/** Every run asks other questions; a failing one names its seed, for `npm run trial -- fuzz`. */
const { seed: SEED } = inject("fuzz");

const db = perFile(testDatabase);
beforeAll(async () => {
  await plantOnchain(db.pool, { block: 1000, finalized: 900 });
  await writeAgents(
    db.pool,
    fc.sample(agentRow(fc.nat(3000), 500), { numRuns: AGENTS, seed: SEED }).filter(firstOfId()),
  );
  const scores = fc.sample(fc.tuple(fc.nat(3000), fc.nat(100)), { numRuns: AGENTS, seed: SEED });
  await writeScores(db.pool, scores.filter(firstOfId(([id]) => id)));
});
const list = perFile(() => openAgentList({ url: db.url, db: db.pool, pollMs: 50, maxAgeMs: LONG }));
const never = perFile(() => openAgentList({ url: db.url, db: db.pool, enabled: false }));
beforeAll(() => until("the columns are loaded", () => list.ready));

/** Keeps the first of each id: one statement writes a row once. */
function firstOfId<T>(id: (row: T) => number = (row) => (row as { tokenId: number }).tokenId) {
  const seen = new Set<number>();
  return (row: T) => !seen.has(id(row)) && seen.add(id(row)) !== undefined;
}

async function ask(seed: number) {
  await forAllLater(
    [fc.array(question, { minLength: 10, maxLength: 10 })],
    { numRuns: QUESTIONS, seed, endOnFailure: true },
    async (questions) => {
      expect(list.ready).toBe(true);
      await Promise.all(
        questions.map(async (each) => {
          const { answer, expected } = await askBoth(list.list, (query) => listAgents(db.pool, query), each);
          expect(answer, fc.stringify(each)).toEqual(expected);
        }),
      );
    },
  );
}

test(`memory and SQL answer alike through ${ROUNDS} rounds of changes (seed ${SEED})`, async () => {
  let block = 1000;
  await ask(SEED);
  for (let round = 1; round < ROUNDS; round++) {
    const seed = SEED + round;
    block++;
    const changed = fc.sample(agentRow(fc.nat(3200), block), { numRuns: 60 * 2 ** round, seed }).filter(firstOfId());
    const scores = fc.sample(fc.tuple(fc.nat(3200), fc.nat(100)), { numRuns: 60 * 2 ** round, seed });
    await writeAgents(db.pool, changed);
    await writeScores(db.pool, scores.filter(firstOfId(([id]) => id)));
    await plantCheckpoint(db.pool, { block, finalized: 900 });
    await settled(list);
    await ask(seed);
    // A reorganisation takes half of them back: some were minted by it and are gone, the others are as they were.
    const undone = changed.filter((_, i) => i % 2 === 0).map(({ tokenId }) => tokenId);
    await db.pool.query("delete from onchain.agent where token_id = any($1) and token_id % 3 = 0", [undone]);
    await db.pool.query(sql`update onchain.agent set name = 'as it was ' || token_id, points = token_id % 5,
        updated_block = 600 where token_id = any(${undone})`);
    await plantCheckpoint(db.pool, { block: block - 1, finalized: 900 });
    await settled(list, 100);
    await ask(seed + 100);
  }
  const stats = list.stats();
  expect(stats).toMatchObject({ phase: "ready", loads: 1, error: null });
  expect(stats.rowsRead).toBeGreaterThan(500);
});

test("switched off, SQL answers", async () => {
  expect(never).toMatchObject({ ready: false, block: -1 });
  expect(never.stats().phase).toBe("off");
  const query = { sort: "name", order: "desc", limit: 5, position: { offset: 3 } } as const;
  expect(await never.list(query)).toEqual(await list.list(query));
});

test("a count has the total of the list", async () => {
  for (const filter of [{}, { spam: true }, { spam: true, minScore: 40 }, { search: "0xab" }, { soulbound: true }])
    expect(await countAgents(db.pool, filter)).toBe(
      (await list.list({ ...filter, sort: "tokenId", order: "asc", limit: 1, position: { offset: 0 } })).total,
    );
});
