/** USDC of a local chain: given without a transaction, so that nothing on the way to it can be stopped, or taken back with a block before it. */
import { encodeAbiParameters, type Hex, keccak256, numberToHex, type PublicActions } from "viem";
import { usdcAbi } from "../abis/usdc.ts";
import { CANONICAL } from "../devnet/chain-addresses.ts";
import type { testChain } from "./agent-wallet.ts";

/** Slot of the balances in the development chain's USDC. */
const BALANCES_SLOT = 0n;

/** Makes this much USDC the balance of an address. */
export const giveUsdc = (chain: Pick<ReturnType<typeof testChain>, "setStorageAt">, to: Hex, units: bigint) =>
  chain.setStorageAt({
    address: CANONICAL.usdc,
    index: keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [to, BALANCES_SLOT])),
    value: numberToHex(units, { size: 32 }),
  });

/** What an address has, in the smallest unit. */
export const usdcOf = (chain: Pick<PublicActions, "readContract">, address: Hex): Promise<bigint> =>
  chain.readContract({ address: CANONICAL.usdc, abi: usdcAbi, functionName: "balanceOf", args: [address] });
