/** Writing to a development chain in bulk: transactions are sent with counted nonces and mined together. */
import { createTestClient, type Hex, http, publicActions } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { ANSWER_MS } from "./anvil-process.ts";
import { findReceipt, receiptActions } from "./receipts.ts";

export type DevChain = ReturnType<typeof openDevChain>;

type How = { timeout?: number; retryCount?: number; pollingInterval?: number };

/** A client of a local anvil, with its test methods. */
export const openDevChain = (rpcUrl: string, { timeout = ANSWER_MS, retryCount = 0, ...how }: How = {}) =>
  createTestClient({
    ...{ chain: base, mode: "anvil", cacheTime: 0, ...how },
    transport: http(rpcUrl, { timeout, retryCount }),
  })
    .extend(publicActions)
    .extend(receiptActions);

const DEPLOY_GAS = 6_000_000n;
const GWEI = 1_000_000_000n;
/** Blocks within which everything sent is mined, or never. */
const MAX_ROUNDS = 200;

export type Call = { to?: Hex; data: Hex };

/** Sends an account's calls in order, for `mineAll`. @returns the transactions' hashes */
export async function sendAll(chain: DevChain, privateKey: Hex, calls: Call[]): Promise<Hex[]> {
  const account = privateKeyToAccount(privateKey);
  const first = await chain.getTransactionCount({ address: account.address, blockTag: "pending" });
  const signed = await Promise.all(calls.map((call, i) => sign(account, chain, call, first + i)));
  const hashes: Hex[] = [];
  // One after the other, and none while a block is made: a nonce that arrives before the one below it is known to be used is parked by the node, and may stay parked.
  const minesAtOnce = await chain.getAutomine();
  if (minesAtOnce) await chain.setAutomine(false);
  try {
    for (const serializedTransaction of signed) hashes.push(await chain.sendRawTransaction({ serializedTransaction }));
  } finally {
    if (minesAtOnce) await chain.setAutomine(true);
  }
  return hashes;
}

const sign = (account: PrivateKeyAccount, chain: DevChain, call: Call, nonce: number) =>
  account.signTransaction({
    ...call,
    type: "eip1559",
    chainId: chain.chain.id,
    nonce,
    gas: DEPLOY_GAS,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: 0n,
  });

/**
 * Mines until every transaction is in a block.
 * @throws Error when one of them failed
 */
export async function mineAll(chain: DevChain, hashes: Hex[]): Promise<void> {
  let waiting = hashes;
  for (let round = 0; waiting.length > 0; round++) {
    if (round === MAX_ROUNDS)
      throw new Error(`transactions are not mined on the development chain: ${waiting.join(", ")}`);
    await chain.mine({ blocks: 1 });
    const receipts = await Promise.all(waiting.map((hash) => findReceipt(chain, hash)));
    const failed = waiting.filter((_, i) => receipts[i]?.status === "reverted");
    if (failed.length > 0) throw new Error(`transactions failed on the development chain: ${failed.join(", ")}`);
    waiting = waiting.filter((_, i) => receipts[i] === undefined);
  }
}

/**
 * Puts contracts at addresses of choice: creation code is set as the code there and called. What a constructor writes
 * to storage and emits is thereby kept by a transaction; what it returns is the code to leave there, with the right
 * immutables, because `address(this)` is already the final one.
 */
export async function plant(chain: DevChain, privateKey: Hex, creations: { address: Hex; code: Hex }[]): Promise<void> {
  const account = privateKeyToAccount(privateKey);
  await Promise.all(creations.map(({ address, code }) => chain.setCode({ address, bytecode: code })));
  // Before the transactions: an initializer behind a proxy runs only once.
  const runtimes = await Promise.all(
    creations.map(({ address: to }) => chain.call({ account: account.address, to, gas: DEPLOY_GAS })),
  );
  const calls = creations.map(({ address }) => ({ to: address, data: "0x" as const }));
  await mineAll(chain, await sendAll(chain, privateKey, calls));
  await Promise.all(
    creations.map(({ address }, i) => {
      const bytecode = runtimes[i]?.data;
      if (bytecode === undefined) throw new Error(`the constructor for ${address} returned no code`);
      return chain.setCode({ address, bytecode });
    }),
  );
}
