/** Signs transactions with a private key held in memory. */
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Address, Hex } from "../core/facts.ts";
import type { Signer } from "./ports.ts";

/** @param chainId part of every signature: the bytes are worthless on any other chain. */
export function createSigner(privateKey: Hex, chainId: number): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Address,
    async sign(tx) {
      const raw = await account.signTransaction({
        type: "eip1559",
        chainId,
        nonce: tx.nonce,
        to: tx.to,
        data: tx.data,
        value: tx.valueWei,
        gas: tx.gasLimit,
        maxFeePerGas: tx.maxFeePerGasWei,
        maxPriorityFeePerGas: tx.maxPriorityFeePerGasWei,
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}
