/** The contract of jobs on the development chain: the states of ERC-8183, who may cause which, and where the money is. */
import { createWalletClient, http, parseEventLogs, zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { beforeAll, expect, it } from "vitest";
import { agentCommerceAbi } from "../../abis/agent-commerce.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { type Devnet, deployDevnet } from "../../devnet/deploy.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { perFile } from "../support/started.ts";

const anvil = perFile(startAnvil);
let devnet: Devnet;
let evm: ReturnType<typeof testChain>;
beforeAll(async () => {
  devnet = await deployDevnet(anvil.url);
  evm = testChain(anvil.url);
});

const [CLIENT, PROVIDER, EVALUATOR, STRANGER] = [0, 1, 2, 3];
const UNITS = 40_000n;
const at = (n: number) => devnet.accounts[n]!.address;
const wallet = (n: number) =>
  createWalletClient({
    account: privateKeyToAccount(devnet.accounts[n]!.privateKey),
    ...{ chain: base, transport: http(anvil.url) },
  });
const of = () => ({ address: devnet.contracts.agentCommerce, abi: agentCommerceAbi }) as const;
const usdc = () => ({ address: devnet.contracts.usdc, abi: usdcAbi }) as const;
const mined = async (hash: `0x${string}`) => evm.waitForTransactionReceipt({ hash });
/** @throws with the name of the contract's error */
async function call(from: number, functionName: string, ...args: unknown[]): Promise<string[]> {
  const given = { ...of(), functionName, args, account: at(from) } as never;
  await evm.simulateContract(given);
  const { logs } = await mined(await wallet(from).writeContract({ ...of(), functionName, args } as never));
  return parseEventLogs({ abi: agentCommerceAbi, logs }).map(({ eventName }) => eventName);
}
const balances = () =>
  Promise.all(
    [at(CLIENT), at(PROVIDER), devnet.contracts.agentCommerce].map((account) =>
      evm.readContract({ ...usdc(), functionName: "balanceOf", args: [account] }),
    ),
  );
/** A new job, brought to a state. */
async function job(to: "open" | "funded" | "submitted"): Promise<bigint> {
  const { timestamp } = await evm.getBlock();
  await call(CLIENT, "createJob", zeroAddress, at(EVALUATOR), timestamp + 1_000n, "Work", zeroAddress);
  const id = await evm.readContract({ ...of(), functionName: "jobCounter" });
  if (to === "open") return id;
  await call(CLIENT, "setProvider", id, at(PROVIDER), "0x");
  await call(PROVIDER, "setBudget", id, UNITS, "0x");
  await mined(await wallet(CLIENT).writeContract({ ...usdc(), functionName: "approve", args: [of().address, UNITS] }));
  await call(CLIENT, "fund", id, UNITS, "0x");
  if (to === "submitted") await call(PROVIDER, "submit", id, zeroHash, "0x");
  return id;
}

it("pays the provider when the evaluator completes, and gives the client the money back when it rejects or time is over", async () => {
  const [client, provider] = await balances();
  const done = await job("submitted");
  expect((await balances())[2]).toBe(UNITS);
  expect(await call(EVALUATOR, "complete", done, zeroHash, "0x")).toEqual(["JobCompleted", "PaymentReleased"]);
  expect(await balances()).toEqual([client! - UNITS, provider! + UNITS, 0n]);
  for (const state of ["funded", "submitted"] as const)
    expect(await call(EVALUATOR, "reject", await job(state), zeroHash, "0x")).toEqual(["Refunded", "JobRejected"]);
  expect(await call(CLIENT, "reject", await job("open"), zeroHash, "0x")).toEqual(["JobRejected"]);
  const late = [await job("funded"), await job("submitted")];
  for (const id of late) await expect(call(STRANGER, "claimRefund", id)).rejects.toThrow("WrongStatus");
  await evm.increaseTime({ seconds: 1_001 });
  await evm.mine({ blocks: 1 });
  for (const id of late) expect(await call(STRANGER, "claimRefund", id)).toEqual(["Refunded", "JobExpired"]);
  expect(await balances()).toEqual([client! - UNITS, provider! + UNITS, 0n]);
});

it("refuses what the state or the caller does not allow", async () => {
  const [open, funded, submitted] = [await job("open"), await job("funded"), await job("submitted")];
  const refused = async (error: string, from: number, name: string, ...args: unknown[]) =>
    expect(call(from, name, ...args), `${name} by ${from}`).rejects.toThrow(error);
  const { timestamp } = await evm.getBlock();
  await refused("ZeroAddress", CLIENT, "createJob", at(PROVIDER), zeroAddress, timestamp + 99n, "", zeroAddress);
  await refused("ExpiryTooShort", CLIENT, "createJob", at(PROVIDER), at(EVALUATOR), timestamp - 1n, "", zeroAddress);
  await refused("InvalidJob", CLIENT, "fund", 999n, UNITS, "0x");
  await refused("ProviderNotSet", CLIENT, "fund", open, 0n, "0x");
  await refused("Unauthorized", STRANGER, "setProvider", open, at(STRANGER), "0x");
  await refused("Unauthorized", STRANGER, "setBudget", open, 1n, "0x");
  await refused("Unauthorized", EVALUATOR, "reject", open, zeroHash, "0x");
  await call(CLIENT, "setProvider", open, at(PROVIDER), "0x");
  await refused("WrongStatus", CLIENT, "setProvider", open, at(STRANGER), "0x");
  await refused("ZeroBudget", CLIENT, "fund", open, 0n, "0x");
  await call(CLIENT, "setBudget", open, UNITS, "0x");
  await refused("BudgetMismatch", CLIENT, "fund", open, UNITS - 1n, "0x");
  await refused("Unauthorized", PROVIDER, "fund", open, UNITS, "0x");
  await refused("WrongStatus", PROVIDER, "submit", open, zeroHash, "0x");
  await refused("Unauthorized", CLIENT, "submit", funded, zeroHash, "0x");
  await refused("WrongStatus", EVALUATOR, "complete", funded, zeroHash, "0x");
  await refused("WrongStatus", CLIENT, "setBudget", funded, 1n, "0x");
  for (const from of [CLIENT, PROVIDER, STRANGER]) {
    await refused("Unauthorized", from, "complete", submitted, zeroHash, "0x");
    await refused("Unauthorized", from, "reject", submitted, zeroHash, "0x");
  }
  await call(EVALUATOR, "complete", submitted, zeroHash, "0x");
  await refused("WrongStatus", EVALUATOR, "reject", submitted, zeroHash, "0x");
  await refused("WrongStatus", STRANGER, "claimRefund", submitted);
});
