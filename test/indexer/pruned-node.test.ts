/** Old state on a node that keeps none: the newest is read instead, and nothing else is bent. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, http, parseEther, type Transport } from "viem";
import { base } from "viem/chains";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { prunedNode } from "../../indexer/pruned-node.ts";
import { testChain } from "../support/agent-wallet.ts";

const holder = "0x00000000000000000000000000000000000000aa";
const directory = mkdtempSync(join(tmpdir(), "pruned-"));
let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ directory });
  const chain = testChain(anvil.url);
  await chain.mine({ blocks: 1000 });
  await chain.setBalance({ address: holder, value: parseEther("3") });
  await chain.mine({ blocks: 1 });
});
afterAll(async () => {
  await anvil.stop();
  rmSync(directory, { recursive: true });
});

it("reads the newest state where the old one is gone", async () => {
  const read = (transport: Transport) =>
    createPublicClient({ chain: base, transport }).getBalance({ address: holder, blockNumber: 2n });
  await expect(read(http(anvil.url, { retryCount: 0 }))).rejects.toThrow(/BlockOutOfRange/);
  expect(await read(prunedNode(anvil.url))).toBe(parseEther("3"));
});

it("reads the state of a block that is still there, and passes other failures on", async () => {
  const client = createPublicClient({ chain: base, transport: prunedNode(anvil.url) });
  const head = await client.getBlockNumber();
  expect(await client.getBalance({ address: holder, blockNumber: head - 2n })).toBe(0n);
  await expect(client.request({ method: "eth_noSuchMethod" } as never)).rejects.toThrow();
});
