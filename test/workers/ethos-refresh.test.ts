/** The job that fetches Ethos scores: every wallet once in the interval, in bulk, and what is not known stays unknown. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ethosScores } from "../../clients/ethos.ts";
import type { Ethos } from "../../clients/ports.ts";
import { Failure } from "../../core/errors.ts";
import { storeEthosScores, walletsToScore } from "../../db/ethos.ts";
import { loadFacts } from "../../db/facts.ts";
import { ethosRefresh } from "../../workers/jobs/ethos-refresh.ts";
import { JOBS } from "../../workers/jobs.ts";
import { plantAgents } from "../api/support/agents.ts";
import { type Simulated, simulated } from "../clients/support/simulated.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

const HOUR_MS = 3_600_000;
let sim: Simulated;
let database: TestDatabase;
let now = Date.parse("2026-11-21T12:00:00Z");
let calls: number[] = [];
const owner: `0x${string}` = `0x${"e".repeat(40)}`;
const walletOf = (tokenId: number): `0x${string}` => `0x${tokenId.toString(16).padStart(40, "0")}`;
const agent = (tokenId: number, more = {}) => ({ tokenId, agentAddress: walletOf(tokenId), ...more });

beforeAll(async () => {
  sim = await simulated();
  database = await testDatabase({ indexed: true });
  await plantAgents(database.pool, [
    agent(1),
    agent(2, { owner }),
    agent(3),
    ...Array.from({ length: 250 }, (_, i) => agent(100 + i, { owner })),
  ]);
});
afterAll(async () => {
  await database?.drop();
  await sim?.close();
});

const run = () => {
  const ethos = ethosScores(sim.upstream("/ethos"));
  const counted: Ethos = {
    ...ethos,
    scores(wallets) {
      calls.push(wallets.length);
      return ethos.scores(wallets);
    },
  };
  calls = [];
  const config = { upstreams: { pullMs: HOUR_MS } };
  return ethosRefresh.run({ db: database.pool, ethos: counted, clock: () => new Date(now), config } as never, {});
};
const scoreOf = async (tokenId: number) => (await loadFacts(database.pool, [tokenId]))[0]!.ethosScore;

it("asks about all wallets in bulk, knows what Ethos knows, and leaves the rest unknown", async () => {
  expect(JOBS).toContain(ethosRefresh);
  await sim.control("PUT", `ethos/${walletOf(1)}`, { score: 1600 });
  await sim.control("PUT", `ethos/${owner}`, { score: 900 });
  expect(await run()).toBe(2);
  expect(calls).toEqual([100, 100, 54]);
  // The agent's own wallet comes first, its owner's stands in.
  expect([await scoreOf(1), await scoreOf(2), await scoreOf(3)]).toEqual([1600, 900, null]);
});

it("asks again after the interval, not before, and at once about a new wallet", async () => {
  await sim.control("PUT", `ethos/${walletOf(1)}`, { score: 1700 });
  expect([await run(), calls]).toEqual([0, []]);
  await plantAgents(database.pool, [agent(4)]);
  await sim.control("PUT", `ethos/${walletOf(4)}`, { score: 1234 });
  expect([await run(), calls]).toEqual([1, [1]]);
  expect(await scoreOf(4)).toBe(1234);
  now += HOUR_MS + 1;
  expect(await run()).toBe(1);
  expect(await scoreOf(1)).toBe(1700);
});

it("keeps what it knew while Ethos is away, and forgets what Ethos does not know any more", async () => {
  now += HOUR_MS + 1;
  await sim.fail("ethos", { status: 500, times: 3 });
  await expect(run()).rejects.toBeInstanceOf(Failure);
  expect(await scoreOf(1)).toBe(1700);
  await sim.control("DELETE", `ethos/${walletOf(1)}`);
  expect(await run()).toBe(1);
  expect(await scoreOf(1)).toBeNull();
});

it("a wallet whose entry cannot be read keeps its score, and the others get theirs", async () => {
  now += HOUR_MS + 1;
  await sim.control("PUT", `ethos/${walletOf(1)}`, { score: 1700 });
  await run();
  now += HOUR_MS + 1;
  const first = await walletsToScore(database.pool, new Date(now - HOUR_MS), 100);
  const [odd, ...others] = first;
  await storeEthosScores(database.pool, new Map([[odd!, 1500]]), new Date(now - 2 * HOUR_MS));
  await storeEthosScores(
    database.pool,
    new Map([
      [odd!, undefined],
      [others[0]!, 1601],
    ]),
    new Date(now),
  );
  const { rows } = await database.pool.query(
    "select score from offchain.ethos_score where wallet = any($1) order by score",
    [[odd, others[0]]],
  );
  expect(rows.map(({ score }) => score)).toEqual([1500, 1601]);
  expect(await walletsToScore(database.pool, new Date(now - HOUR_MS), 1_000)).not.toContain(odd);
});
