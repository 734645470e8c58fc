/** Ponder's requests over the pool of nodes: what it gets for old state that no node keeps, and for removed blocks. */
import { parseEther } from "viem";
import { beforeAll, expect, it } from "vitest";
import { openRpcPool, RpcRequestError } from "../../clients/rpc/pool.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { BlockRemoved, withNewestState, withoutRemovedBlocks } from "../../indexer/preload/missing-on-node.ts";
import type { Ask } from "../../indexer/preload/rpc-types.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

const holder = "0x00000000000000000000000000000000000000aa";
const directory = folderPerFile("pruned");
const THREE = `0x${parseEther("3").toString(16)}`;
const anvil = perFile(() => startAnvil({ directory }));
const pool = perFile(() =>
  openRpcPool({ chainId: 8453, nodes: [{ url: anvil.url, roles: ["head", "logs", "archive"] }] }),
);
let head: number;
beforeAll(async () => {
  const chain = testChain(anvil.url);
  await chain.mine({ blocks: 1000 });
  await chain.setBalance({ address: holder, value: parseEther("3") });
  await chain.mine({ blocks: 1 });
  head = Number(await chain.getBlockNumber());
});

const hex = (block: number) => `0x${block.toString(16)}`;
const balanceAt = (ask: Ask, block: number) => ask("eth_getBalance", [holder, hex(block)]);

it("reads the newest state where the old one is gone, and there at once from then on", async () => {
  await expect(balanceAt(pool.request, 2)).rejects.toThrow("BlockOutOfRange");
  const asked: unknown[] = [];
  const ask = withNewestState((method, params) => {
    asked.push(params[1]);
    return pool.request(method, params);
  });
  expect(await balanceAt(ask, 2)).toBe(THREE);
  expect(await balanceAt(ask, 1)).toBe(THREE);
  expect(asked).toEqual(["0x2", "latest", "latest"]);
});

it("reads the state of a block that is still there, and passes other failures on", async () => {
  const ask = withNewestState(pool.request);
  expect(await balanceAt(ask, head - 2)).toBe("0x0");
  await expect(ask("eth_noSuchMethod", [])).rejects.toThrow();
});

/** A node that has no state of a block, in words that also mean a block that it does not have yet. */
const unknownHeader: Ask = async (method, params) => {
  if (method === "eth_blockNumber") return "0x64";
  if (params[1] === "latest") return "0x3";
  throw new RpcRequestError({ code: -32000, message: "header not found" });
};

it("takes an unknown header far below the head as pruned, near the head as a backend that lags", async () => {
  expect(await balanceAt(withNewestState(unknownHeader), 60)).toBe("0x3");
  await expect(balanceAt(withNewestState(unknownHeader), 90)).rejects.toThrow("header not found");
});

it("gives a removed block up two seconds after its logs were first refused", async () => {
  let now = 0;
  const refusing: Ask = async () => {
    throw new RpcRequestError({ code: -32000, message: "unknown block" });
  };
  const ask = withoutRemovedBlocks(refusing, () => now);
  const logs = () => ask("eth_getLogs", [{ blockHash: `0x${"1".repeat(64)}` }]);
  await expect(logs()).rejects.toThrow("unknown block");
  now = 1_999;
  await expect(logs()).rejects.toThrow("unknown block");
  now = 2_000;
  await expect(logs()).rejects.toBeInstanceOf(BlockRemoved);
});
