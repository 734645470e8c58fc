/** USDC for anybody on a development chain. */
import { encodeFunctionData, type Hex } from "viem";
import { usdcAbi } from "../abis/usdc.ts";
import { CANONICAL } from "./chain-addresses.ts";
import { openDevChain } from "./chain-writer.ts";

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
  // Impersonated: the minter's key is nobody's.
  await chain.impersonateAccount({ address: minter });
  const hash = await chain.sendUnsignedTransaction({ from: minter, to: CANONICAL.usdc, data });
  const { status } = await chain.waitForTransactionReceipt({ hash, pollingInterval: 25 });
  if (status !== "success") throw new Error(`minting USDC for ${to} failed`);
}
