/** Money on a local chain without a transaction: nothing on the way to it can be stopped, or taken back with a block before it. */
import { encodeAbiParameters, type Hex, keccak256, numberToHex } from "viem";
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
