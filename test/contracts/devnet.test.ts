/** The development chain as a whole: what stands where, found again by a second start, kept over stops and kills. */
import { existsSync, writeFileSync } from "node:fs";
import { getAddress, type Hex, parseEther, zeroAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { loadConfig } from "../../config/config.ts";
import { type Anvil, type AnvilOptions, chainFiles, startAnvil } from "../../devnet/anvil.ts";
import { rpc } from "../../devnet/anvil-process.ts";
import { dropHashes } from "../../devnet/block-clock.ts";
import { openDevChain } from "../../devnet/chain-writer.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { isAlive } from "../../devnet/start-program.ts";
import { until } from "../../harness/until.ts";
import { folderOfTest } from "../support/folders.ts";
import { deepIt } from "../support/share.ts";
import { endedPerTest } from "../support/started.ts";

const ended = endedPerTest();

/** A directory with a space in its name. */
const directory = () => folderOfTest("a chain");

const start = async (options?: AnvilOptions): Promise<Anvil> => ended(await startAnvil(options));

/** A chain that went on for a while after its deployment. */
async function livedChain(path: string) {
  const anvil = await start({ directory: path });
  const devnet = await deployDevnet(anvil.url);
  const chain = openDevChain(anvil.url);
  await chain.mine({ blocks: 5 });
  return { anvil, devnet, chain, head: await chain.getBlock() };
}

describe("a deployed devnet", () => {
  test("has code at every address, money on every account, and the keys its contracts obey", async () => {
    const anvil = await start();
    const devnet = await deployDevnet(anvil.url);
    const chain = openDevChain(anvil.url);
    for (const [name, address] of Object.entries(devnet.contracts)) {
      expect(getAddress(address), name).toBe(address);
      expect((await chain.getCode({ address }))?.length, name).toBeGreaterThan(100);
    }
    expect(devnet.accounts).toHaveLength(10);
    const keys = new Set([...devnet.accounts.map((a) => a.privateKey), ...Object.values(devnet.keys)]);
    expect(keys.size).toBe(17);
    for (const { address, privateKey } of devnet.accounts) {
      expect(privateKeyToAddress(privateKey)).toBe(address);
      expect(await chain.getBalance({ address })).toBe(parseEther("100"));
      const usdc = { address: devnet.contracts.usdc, abi: usdcAbi, functionName: "balanceOf" } as const;
      expect(await chain.readContract({ ...usdc, args: [address] })).toBe(1_000_000_000n);
    }
    for (const key of Object.values(devnet.keys)) {
      expect(await chain.getBalance({ address: privateKeyToAddress(key) })).toBeGreaterThan(parseEther("99"));
    }
    const identity = { address: devnet.contracts.identity, abi: identityAbi } as const;
    const ask = (functionName: "owner" | "treasury") => chain.readContract({ ...identity, functionName });
    expect(await ask("owner")).toBe(privateKeyToAddress(devnet.keys.deployer));
    expect(await ask("treasury")).toBe(privateKeyToAddress(devnet.keys.treasury));
    expect(await chain.readContract({ ...identity, functionName: "totalAgents" })).toBe(0n);
  });

  test("has no event below its first block", async () => {
    const anvil = await start({ blockTimeSeconds: 0.1 });
    const chain = openDevChain(anvil.url);
    await until("some blocks", async () => (await chain.getBlockNumber()) > 3n);
    const { deployBlock, contracts } = await deployDevnet(anvil.url);
    const logs = await chain.getLogs({ address: Object.values(contracts), fromBlock: 0n });
    expect(logs.length).toBeGreaterThan(0);
    expect(logs.filter((log) => log.blockNumber < BigInt(deployBlock))).toEqual([]);
    expect(deployBlock).toBeGreaterThan(3);
  });

  test("is all the service needs to be told", async () => {
    const anvil = await start();
    const devnet = await deployDevnet(anvil.url);
    const config = loadConfig({ RPC_URL: anvil.url, DATABASE_URL: "postgres://nowhere/none", ...serviceEnv(devnet) });
    const lower = (address: Hex) => address.toLowerCase();
    for (const [name, { address }] of Object.entries(config.contracts)) {
      expect(address, name).toBe(lower(devnet.contracts[name as keyof typeof config.contracts]));
    }
    expect(config.contracts.identity.startBlock).toBe(devnet.deployBlock);
    expect(config.attesters).toEqual(devnet.attesters.map(lower));
    expect(config.attestationSchemas).toEqual([devnet.schemas.verifiedAccount]);
    expect(config.sender.privateKey).toBe(devnet.keys.deployer);
    expect(config.chain).toMatchObject({ id: 8453, cache: false });
  });
});

describe("a second deployment", () => {
  test("finds the first and does nothing", async () => {
    const { anvil, devnet, chain, head } = await livedChain(directory());
    expect(await deployDevnet(anvil.url)).toEqual(devnet);
    expect(await chain.getBlock()).toEqual(head);
  });

  test("builds anew what was left half-built", async () => {
    const whole = await deployDevnet((await start()).url);
    const anvil = await start();
    const chain = openDevChain(anvil.url);
    const deployer = privateKeyToAddress(whole.keys.deployer);
    await chain.setBalance({ address: deployer, value: parseEther("1") });
    await chain.impersonateAccount({ address: deployer });
    const hash = await chain.sendUnsignedTransaction({ from: deployer, data: "0x00" });
    await chain.waitForTransactionReceipt({ hash, pollingInterval: 10 });
    const devnet = await deployDevnet(anvil.url);
    expect(devnet.contracts).toEqual(whole.contracts);
    const identity = { address: devnet.contracts.identity, abi: identityAbi } as const;
    expect(await chain.readContract({ ...identity, functionName: "owner" })).toBe(deployer);
  });

  test("refuses a chain of other contracts, and says what to do", async () => {
    const { anvil } = await livedChain(directory());
    const other = "agent agent agent agent agent agent agent agent agent agent agent alone";
    await expect(deployDevnet(anvil.url, { mnemonic: other })).rejects.toThrow("npm run reset");
  });
});

describe("a kept chain", () => {
  test("goes on after a stop, with its history and its state", async () => {
    const path = directory();
    const { anvil, devnet, chain, head } = await livedChain(path);
    const to = devnet.accounts[0]!.address;
    await chain.setBalance({ address: to, value: 7n });
    await chain.mine({ blocks: 1 });
    await anvil.stop();
    const again = await start({ directory: path });
    const kept = openDevChain(again.url);
    expect(await deployDevnet(again.url)).toEqual(devnet);
    expect(await kept.getBlockNumber()).toBe(head.number + 1n);
    expect((await kept.getBlock({ blockNumber: head.number })).hash).toBe(head.hash);
    expect(await kept.getBalance({ address: to })).toBe(7n);
    const logs = await kept.getLogs({ address: devnet.contracts.usdc, fromBlock: 0n });
    expect(logs.length).toBeGreaterThanOrEqual(10);
    await kept.mine({ blocks: 1 });
    expect(Number((await kept.getBlock()).timestamp)).toBeLessThanOrEqual(Date.now() / 1000 + 2);
  });

  deepIt("survives a dump cut off by a kill: the one before it is used", async () => {
    const path = directory();
    const { anvil, devnet, head } = await livedChain(path);
    await anvil.stop();
    writeFileSync(chainFiles(path).dump, '{"block":{"number":"0x');
    const again = await start({ directory: path });
    expect(await openDevChain(again.url).getBlockNumber()).toBe(head.number);
    expect(await deployDevnet(again.url)).toEqual(devnet);
  });

  deepIt("is left whole when its anvil is killed", async () => {
    const path = directory();
    const { anvil, head } = await livedChain(path);
    await anvil.stop();
    const killed = await start({ directory: path });
    process.kill(killed.pid, "SIGKILL");
    await killed.ended;
    const again = await start({ directory: path });
    expect((await openDevChain(again.url).getBlock()).hash).toBe(head.hash);
  });

  test("has the states of as many blocks as it may, whatever its block time, and the same blocks without their hashes", async () => {
    const anvil = await start({ directory: directory(), blockTimeSeconds: 3600 });
    const chain = openDevChain(anvil.url);
    await chain.mine({ blocks: 300 });
    const head = await chain.getBlock();
    expect(await dropHashes(anvil.url)).toBe(true);
    expect(await chain.getBlock()).toEqual(head);
    const balanceAt = (depth: bigint) => chain.getBalance({ address: zeroAddress, blockNumber: head.number - depth });
    expect(await balanceAt(30n)).toBe(0n);
    await expect(balanceAt(50n)).rejects.toThrow("BlockOutOfRange");
    await rpc(anvil.url, "anvil_reorg", [30, []]);
    expect(await chain.getBlockNumber()).toBe(head.number);
  });

  test("leaves its process id to nobody after a stop", async () => {
    const path = directory();
    const { anvil } = await livedChain(path);
    await anvil.stop();
    expect(isAlive(anvil.pid)).toBe(false);
    expect(existsSync(chainFiles(path).pid)).toBe(false);
  });
});

describe("starting", () => {
  test("a taken port is one clear error", async () => {
    const { port } = await start();
    await expect(startAnvil({ port })).rejects.toThrow(/anvil did not start: .*in use/);
  });

  test("blocks come by themselves, in fractions of a second, in step with the clock", async () => {
    const chain = openDevChain((await start({ blockTimeSeconds: 0.1 })).url);
    await until("ten blocks", async () => (await chain.getBlockNumber()) >= 10n);
    const now = Math.floor(Date.now() / 1000);
    const { timestamp } = await until("a block of now", async () => {
      const block = await chain.getBlock();
      return block.timestamp >= now ? block : undefined;
    });
    // None from the future: ten blocks would be ten seconds ahead if each had a second of its own.
    expect(Number(timestamp)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  test("the payment chain has its first block", async () => {
    const chain = openDevChain((await start({ network: "tempo" })).url);
    expect(await chain.getChainId()).toBe(4217);
    expect(await chain.getBlockNumber()).toBe(1n);
  });
});
