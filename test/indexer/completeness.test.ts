/** What the contracts count against what the index has: which differences are holes, where they are, and when they are told. */
import { decodeFunctionData, encodeFunctionResult, type Hex, toHex } from "viem";
import { beforeEach, expect, test } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { RpcRequestError } from "../../clients/rpc/errors.ts";
import { openRefills, watchCompleteness } from "../../indexer/completeness.ts";
import { forgetFetched } from "../../indexer/ponder-tables.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";

const IDENTITY: Hex = `0x${"1d".repeat(20)}`;
const REGISTRY: Hex = `0x${"80".repeat(20)}`;
const HANDSHAKES: Hex = `0x${"45".repeat(20)}`;
const contracts = {
  Identity: { address: IDENTITY, startBlock: 10 },
  Erc8004Identity: { address: REGISTRY, startBlock: 20 },
  Handshakes: { address: HANDSHAKES, startBlock: 30 },
};
const progress = { block: 100, at: 0, finalizedBlock: 70, finalizedAt: 0, ready: true };

const db = perTest(() => testDatabase({ migrated: false }));
let clock: number;
/** Blocks whose state was asked for. */
let asked: number[];
/** What the contracts say; null: the node does not answer. */
let chain: { agents: number; lastErc8004: number; handshakes: number } | null;

const uint = (value: number): Hex => toHex(value, { size: 32 });
const pool = {
  async request(_method: string, [call, block]: readonly unknown[]): Promise<unknown> {
    const { to, data } = call as { to: Hex; data: Hex };
    asked.push(Number(block));
    if (chain === null) throw new Error("no answer");
    if (to === HANDSHAKES) return uint(chain.handshakes);
    if (to === IDENTITY)
      return encodeFunctionResult({ abi: identityAbi, functionName: "totalAgents", result: BigInt(chain.agents) });
    const { args } = decodeFunctionData({ abi: identityAbi, data });
    if (Number(args![0]) > chain.lastErc8004) throw new RpcRequestError({ code: 3, message: "execution reverted" });
    return uint(1);
  },
};
const watched = () => watchCompleteness({ db: db.pool, pool, contracts, now: () => clock });

beforeEach(async () => {
  clock = 0;
  asked = [];
  chain = { agents: 4, lastErc8004: 3, handshakes: 2 };
  await db.pool.query(`
    create schema onchain;
    create table onchain.agent as select id::int8 as token_id, 40 + 10 * id::int8 as minted_block from generate_series(0, 3) id;
    create table onchain.erc8004_agent as
      select id::numeric(78) as agent_id, 40 + 10 * id::int8 as registered_block from generate_series(0, 3) id;
    create table onchain.handshake as select 50::int8 as block from generate_series(1, 2)`);
});

test("an index with all that the contracts count has no holes", async () => {
  expect(await watched().check(progress)).toEqual([]);
});

test.each([
  ["agent inside", "agent where token_id = 1", IDENTITY, 40, 60, "1 of 4 agents are missing, the first is 1"],
  ["first agent", "agent where token_id = 0", IDENTITY, 10, 50, "1 of 4 agents are missing, the first is 0"],
  ["last agents", "agent where token_id >= 2", IDENTITY, 50, 100, "2 of 4 agents are missing, the first is 2"],
  ["first ERC-8004 agent", "erc8004_agent where agent_id = 0", REGISTRY, 20, 50, "the ERC-8004 agent 0 is missing"],
  ["ERC-8004 agent inside", "erc8004_agent where agent_id = 2", REGISTRY, 50, 70, "the ERC-8004 agent 2 is missing"],
  ["last ERC-8004 agent", "erc8004_agent where agent_id = 3", REGISTRY, 60, 100, "the ERC-8004 agent 3 is missing"],
  ["whole of ERC-8004", "erc8004_agent", REGISTRY, 20, 100, "the ERC-8004 agent 0 is missing"],
  ["handshake", "handshake where ctid = '(0,1)'", HANDSHAKES, 30, 100, "1 of 2 handshakes are missing"],
])("a missing %s is a hole once two looks have found it", async (_what, removed, address, from, to, reason) => {
  await db.pool.query(`delete from onchain.${removed}`);
  const watch = watched();
  expect(await watch.check(progress)).toBeNull();
  expect(watch.suspicious).toBe(true);
  expect(await watch.check({ ...progress, block: 101 })).toEqual([{ address, from, to, reason }]);
  expect(new Set(asked)).toEqual(new Set([100]));
});

test("what a reorganisation took from the chain is no hole, nor is a registry without agents", async () => {
  chain!.agents = 3;
  expect(await watched().check(progress)).toEqual([]);
  await db.pool.query("delete from onchain.erc8004_agent");
  chain!.lastErc8004 = -1;
  expect(await watched().check(progress)).toEqual([]);
});

test("a difference that is gone at the second look is none, and the next look is a minute later", async () => {
  const watch = watched();
  chain!.agents = 5;
  expect(await watch.check(progress)).toBeNull();
  chain!.agents = 4;
  expect(await watch.check(progress)).toEqual([]);
  chain!.agents = 5;
  clock = 59_999;
  expect(await watch.check(progress)).toBeNull();
  expect(watch.suspicious).toBe(false);
  clock = 60_000;
  expect(await watch.check(progress)).toBeNull();
  expect(watch.suspicious).toBe(true);
});

test("a node that does not answer decides nothing", async () => {
  const watch = watched();
  chain!.agents = 5;
  await watch.check(progress);
  chain = null;
  expect(await watch.check(progress)).toBeNull();
  chain = { agents: 5, lastErc8004: 3, handshakes: 2 };
  expect(await watch.check(progress)).toBeNull();
  expect(await watch.check(progress)).toHaveLength(1);
});

test("holes are read again at once, then ever more rarely", () => {
  const refills = openRefills(() => clock);
  const waits: number[] = [];
  for (let n = 0; n < 8; n++) {
    const from = clock;
    while (!refills.due()) clock += 60_000;
    waits.push((clock - from) / 60_000);
    refills.begin();
  }
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 320, 360]);
});

test("the blocks of a hole, and of no other contract, are read again", async () => {
  await db.pool.query(`
    create schema ponder_sync;
    create table ponder_sync.intervals (fragment_id text, chain_id int8, blocks nummultirange);
    insert into ponder_sync.intervals values
      ('log_8453_${IDENTITY}_0x1_null_null_null_0', 8453, '{[10,101]}'),
      ('log_8453_${IDENTITY}_0x2_null_null_null_0', 8453, '{[50,61]}'),
      ('log_8453_${REGISTRY}_0x1_null_null_null_0', 8453, '{[10,101]}')`);
  await forgetFetched(db.pool, { chainId: 8453, address: IDENTITY, fromBlock: 50, toBlock: 60 });
  const { rows } = await db.pool.query("select blocks::text from ponder_sync.intervals order by fragment_id");
  // The upper bound of a range is the last fetched block plus one.
  expect(rows.map(({ blocks }) => blocks)).toEqual(["{[10,50],[61,101]}", "{}", "{[10,101]}"]);
});
