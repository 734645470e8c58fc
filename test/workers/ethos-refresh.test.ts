/** The job that fetches Ethos scores: every named wallet once in the interval, in bulk, and what is not known stays unknown. */
import { beforeAll, describe, expect, it } from "vitest";
import { ethosScores } from "../../clients/ethos.ts";
import type { Ethos } from "../../clients/ports.ts";
import { blankEntry } from "../../core/directory/entry.ts";
import type { PlatformKey } from "../../core/directory/platforms.ts";
import { Failure, fail } from "../../core/errors.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { enterNamedWallets } from "../../db/agents/named-wallets.ts";
import { storeEthosScores, walletsToScore } from "../../db/directory/ethos.ts";
import { staleOwnRows, syncOwnRows } from "../../db/directory/own.ts";
import { removeEntries, upsertEntries } from "../../db/directory/write.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { namedWallets } from "../../workers/agents/agent-upkeep.ts";
import { ethosRefresh } from "../../workers/directory/ethos-refresh.ts";
import { JOBS } from "../../workers/jobs.ts";
import { plantAgents } from "../api/support/agents.ts";
import { simulated } from "../clients/support/simulated.ts";
import { testDatabase } from "../support/database.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";

const HOUR_MS = 3_600_000;
const sim = perFile(simulated);
const database = perFile(() => testDatabase({ indexed: true }));
let now = Date.parse("2026-11-21T12:00:00Z");
let calls: number[] = [];
const owner: `0x${string}` = `0x${"e".repeat(40)}`;
const walletOf = (tokenId: number): `0x${string}` => `0x${tokenId.toString(16).padStart(40, "0")}`;
const agent = (tokenId: number, more = {}) => ({ tokenId, agentAddress: walletOf(tokenId), ...more });

beforeAll(async () => {
  await plantAgents(database.pool, [
    agent(1),
    agent(2, { owner }),
    agent(3),
    ...Array.from({ length: 250 }, (_, i) => agent(100 + i, { owner })),
  ]);
});

const RULES = { now: new Date(now), exchangeSchema: `0x${"f".repeat(64)}` };
/** Shows the planted agents in the directory, and finds the wallets that it names. */
async function enter() {
  const registry = { contract: `0x${"c".repeat(40)}` as const, chainId: 8453 };
  await syncOwnRows(database.pool, await staleOwnRows(database.pool), registry, RULES);
  return namedWallets.run({ db: database.pool } as never, {});
}
/** Puts rows of other registries into the directory. */
const list = (platform: PlatformKey, rows: { id: string; address?: string; ownerAddress?: string }[]) =>
  transaction(database.pool, (tx) =>
    upsertEntries(
      tx,
      rows.map(({ id, ...wallets }) => blankEntry({ platform, agentId: id, name: id, ...wallets })),
      RULES,
    ),
  );
const dueWallets = async (limit: number) =>
  (await walletsToScore(database.pool, new Date(now - HOUR_MS), limit)).due.map(({ wallet }) => wallet);

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
  expect(JOBS).toContain(namedWallets);
  await enter();
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
  await enter();
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
  const first = await dueWallets(200);
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
  const { rows } = await database.pool.query(sql`select score from offchain.ethos_score
    where wallet = any(${[odd, others[0]]}) order by score`);
  expect(rows.map(({ score }) => score)).toEqual([1500, 1601]);
  expect(await dueWallets(1_000)).not.toContain(odd);
});

describe("wallets of other registries", () => {
  const scores = async (wallets: string[]) =>
    (
      await database.rows(sql`select wallet, score from offchain.ethos_score where wallet = any(${wallets})
        order by wallet`)
    ).map(({ wallet, score }) => [wallet, score]);

  it("have scores, the wallets of rows and of owners, and addresses of other chains are not asked about", async () => {
    const [ofVirtuals, itsOwner, ofErc8004] = [walletOf(0xa001), walletOf(0xa002), walletOf(0xa003)];
    await list("virtuals", [{ id: "v1", address: ofVirtuals, ownerAddress: itsOwner }]);
    await list("erc8004", [{ id: "22", ownerAddress: ofErc8004 }]);
    await list("agentverse", [{ id: "a1", address: "agent1qf8xfhsc8hg4g5l0nhtjxyzabcdefghijklmno" }]);
    await enter();
    for (const wallet of [ofVirtuals, itsOwner, ofErc8004])
      await sim.control("PUT", `ethos/${wallet}`, { score: 1500 });
    expect(await run()).toBe(3);
    expect(await scores([ofVirtuals, itsOwner, ofErc8004])).toEqual([
      [ofVirtuals, 1500],
      [itsOwner, 1500],
      [ofErc8004, 1500],
    ]);
    expect((await database.pool.query("select from offchain.ethos_score where wallet like 'agent%'")).rowCount).toBe(0);
  });

  it("are found also in a row that changes its wallet, and forgotten when no row names them any more", async () => {
    const [before, after] = [walletOf(0xb001), walletOf(0xb002)];
    await list("virtuals", [{ id: "v2", address: before }]);
    await enter();
    await run();
    await list("virtuals", [{ id: "v2", address: after }]);
    await enter();
    await run();
    now += HOUR_MS + 1;
    await run();
    expect(await scores([before, after])).toEqual([[after, null]]);
    await removeEntries(database.pool, { platform: "virtuals", agentIds: ["v2"], now: new Date(now) });
    now += HOUR_MS + 1;
    await run();
    expect(await scores([before, after])).toEqual([]);
  });

  it("are found in parts, and all of them in the end", async () => {
    await list(
      "virtuals",
      Array.from({ length: 25 }, (_, i) => ({ id: `part${i}`, address: walletOf(0xc000 + i) })),
    );
    const entered = [];
    for (let i = 0; i < 200 && entered.at(-1) !== 25; i++) {
      await enterNamedWallets(database.pool, 7);
      const { rowCount } = await database.pool.query(sql`select from offchain.ethos_score
        where wallet between ${walletOf(0xc000)} and ${walletOf(0xc0ff)}`);
      entered.push(rowCount);
    }
    expect(entered.slice(0, 4)).toEqual([7, 14, 21, 25]);
  });
});

it("a wallet that Ethos refuses keeps no other from its score", async () => {
  now += HOUR_MS + 1;
  const bad = walletOf(0xd000);
  await list("virtuals", [{ id: "bad", address: bad }]);
  await enter();
  const ethos: Ethos = {
    batch: 100,
    scores: async (wallets) =>
      wallets.includes(bad)
        ? fail("upstream_unavailable", "Ethos refuses this.")
        : new Map(wallets.map((wallet) => [wallet, 1111])),
  };
  const config = { upstreams: { pullMs: HOUR_MS } };
  const context = { db: database.pool, ethos, clock: () => new Date(now), config } as never;
  for (let i = 0; i < 3; i++) await expect(ethosRefresh.run(context, {})).rejects.toBeInstanceOf(Failure);
  const { rows } = await database.pool.query(
    "select wallet from offchain.ethos_score where score is distinct from 1111",
  );
  expect(rows).toEqual([{ wallet: bad }]);
});

it("new wallets leave half of the places to those that wait for another look", async () => {
  now += HOUR_MS + 1;
  await database.pool.query(
    "insert into offchain.ethos_score (wallet) select '0x' || lpad(i::text, 40, 'e') from generate_series(1, 50) i",
  );
  const { due } = await walletsToScore(database.pool, new Date(now - HOUR_MS), 20);
  // The planted wallets are named by nothing: they are gone.
  expect(due).toHaveLength(10);
});
