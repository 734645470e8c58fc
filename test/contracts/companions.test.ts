/** The smaller contracts: handshakes, the service's token, Multicall3. */
import { encodeFunctionData, parseEther, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { multicall3Abi } from "../../abis/multicall3.ts";
import { serviceTokenAbi } from "../../abis/service-token.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { contractWorld, eventsOf } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);

test("a pair shakes hands once, in either direction, and the service records it", async () => {
  const handshakes = world.at(world.devnet.contracts.handshakes, handshakesAbi);
  const record = (from: bigint, to: bigint, by = world.deployer) => handshakes.as(by).write.recordHandshake([from, to]);
  const receipt = await world.mined(record(7n, 0n));
  expect(eventsOf(receipt, handshakesAbi)).toEqual([
    ["HandshakeCompleted", { fromTokenId: 7n, toTokenId: 0n, timestamp: await world.now() }],
  ]);
  await world.mined(record(7n, 3n));
  await expect(record(7n, 0n)).rejects.toThrow("Already connected");
  await expect(record(0n, 7n)).rejects.toThrow("Already connected");
  await expect(record(7n, 7n)).rejects.toThrow("Cannot handshake self");
  await expect(record(1n, 2n, world.people[0])).rejects.toThrow("OwnableUnauthorizedAccount");

  const connected = (a: bigint, b: bigint) => handshakes.read.isConnected([a, b]);
  expect(await Promise.all([connected(7n, 0n), connected(0n, 7n), connected(0n, 3n)])).toEqual([true, true, false]);
  const count = (id: bigint) => handshakes.read.handshakeCount([id]);
  expect(await Promise.all([count(7n), count(0n), count(3n), count(9n)])).toEqual([2n, 1n, 1n, 0n]);
  expect(await handshakes.read.totalHandshakes()).toBe(2n);
  expect(await handshakes.read.identity()).toBe(world.devnet.contracts.identity);
});

test("the service's token has 18 decimals and its whole supply with the treasury", async () => {
  const token = world.at(world.devnet.contracts.serviceToken, serviceTokenAbi);
  expect([await token.read.symbol(), await token.read.decimals()]).toEqual(["CRED", 18]);
  const from = world.treasury.account.address;
  expect(await token.read.balanceOf([from])).toBe(await token.read.totalSupply());
  const to = world.devnet.accounts[0]!.address;
  const receipt = await world.mined(token.as(world.treasury).write.transfer([to, parseEther("3")]));
  expect(eventsOf(receipt, serviceTokenAbi)).toEqual([["Transfer", { from, to, value: parseEther("3") }]]);
});

test("Multicall3 reads many at once through viem, a failing call beside the others", async () => {
  const usdc = { address: world.devnet.contracts.usdc, abi: usdcAbi } as const;
  const results = await world.chain.multicall({
    contracts: [
      { ...usdc, functionName: "symbol" },
      { ...usdc, functionName: "transfer", args: [zeroAddress, 1n] },
      { ...usdc, functionName: "balanceOf", args: [world.devnet.accounts[5]!.address] },
    ],
  });
  expect(results.map((r) => r.status)).toEqual(["success", "failure", "success"]);
  expect(results[2]!.result).toBe(1_000_000_000n);
});

test("Multicall3 passes on value exactly, and one refused call fails all unless it may fail", async () => {
  const multicall = world.at(world.devnet.contracts.multicall3, multicall3Abi);
  const person = world.people[1]!;
  const target = "0x00000000000000000000000000000000000a11ce";
  const call = { target, allowFailure: false, value: 5n, callData: "0x" } as const;
  const send = (value: bigint) => multicall.as(person).write.aggregate3Value([[call, call]], { value });
  await expect(send(9n)).rejects.toThrow();
  await expect(send(11n)).rejects.toThrow("Multicall3: value mismatch");
  await world.mined(send(10n));
  expect(await world.chain.getBalance({ address: target })).toBe(10n);

  const refused = {
    target: world.devnet.contracts.handshakes,
    callData: encodeFunctionData({ abi: handshakesAbi, functionName: "recordHandshake", args: [1n, 1n] }),
  };
  const attempt = (requireSuccess: boolean) =>
    world.chain.simulateContract({ ...multicall, functionName: "tryAggregate", args: [requireSuccess, [refused]] });
  await expect(attempt(true)).rejects.toThrow("Multicall3: call failed");
  expect((await attempt(false)).result[0]!.success).toBe(false);
});
