/** Mints USDC for any account on a development chain. */
import { encodeFunctionData, type Hex } from "viem";
import { usdcAbi } from "../abis/usdc.ts";
import { CANONICAL } from "./chain-addresses.ts";
import { devnetCast } from "./chain-keys.ts";
import { mineAll, openDevChain, sendAll } from "./chain-writer.ts";
import { callOf } from "./contract-call.ts";

/**
 * Gives each of these accounts that has none so much USDC, all in one go, and waits until it is mined. For the devnet's
 * own cast: its operator signs. @param units millionths of a dollar
 */
export async function giveUsdcToAll(rpcUrl: string, accounts: readonly Hex[], units: bigint): Promise<void> {
  const chain = openDevChain(rpcUrl);
  const token = { address: CANONICAL.usdc, abi: usdcAbi } as const;
  const balances = await Promise.all(
    accounts.map((account) => chain.readContract({ ...token, functionName: "balanceOf", args: [account] })),
  );
  const calls = accounts
    .filter((_, i) => balances[i] === 0n)
    .map((account) => callOf(CANONICAL.usdc, usdcAbi, "mint", [account, units]));
  await mineAll(chain, await sendAll(chain, devnetCast().operator, calls));
}

/** One mint after the other: a node that counts the nonce itself may count two at the same moment alike. */
let turn: Promise<unknown> = Promise.resolve();

/** Creates USDC for an account and waits until the transaction is mined. @param units millionths of a dollar */
export function giveUsdc(rpcUrl: string, to: Hex, units: bigint): Promise<void> {
  const mine = turn.then(() => mint(rpcUrl, to, units));
  turn = mine.catch(() => {});
  return mine;
}

async function mint(rpcUrl: string, to: Hex, units: bigint): Promise<void> {
  const chain = openDevChain(rpcUrl);
  const minter = await chain.readContract({ address: CANONICAL.usdc, abi: usdcAbi, functionName: "minter" });
  const data = encodeFunctionData({ abi: usdcAbi, functionName: "mint", args: [to, units] });
  // Impersonated, because the minter has no private key.
  await chain.impersonateAccount({ address: minter });
  const hash = await chain.sendUnsignedTransaction({ from: minter, to: CANONICAL.usdc, data });
  const { status } = await chain.waitForTransactionReceipt({ hash, pollingInterval: 25 });
  if (status !== "success") throw new Error(`minting USDC for ${to} failed`);
}
