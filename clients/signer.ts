/** Signs with private keys in memory: receipts (EIP-712), and transactions, by native code: the same bytes as viem's (RFC 6979) in a third of the time. */
import { createRequire } from "node:module";
import { bytesToHex, hexToBytes, keccak256, serializeTransaction, type TransactionSerializableEIP1559 } from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import type { Address, Hex } from "../core/agents/facts.ts";
import type { ReceiptSigner, Signer } from "./ports.ts";

// The package is CommonJS and picks its native build at load time.
const { ecdsaSign } = createRequire(import.meta.url)("secp256k1") as typeof import("secp256k1");

/** @param chainId part of every signature, so the bytes are invalid on every other chain */
export function createSigner(privateKey: Hex, chainId: number): Signer {
  const address = privateKeyToAddress(privateKey).toLowerCase() as Address;
  const key = hexToBytes(privateKey);
  return {
    address,
    async sign(tx) {
      const unsigned: TransactionSerializableEIP1559 = {
        type: "eip1559",
        chainId,
        nonce: tx.nonce,
        to: tx.to,
        data: tx.data,
        value: tx.valueWei,
        gas: tx.gasLimit,
        maxFeePerGas: tx.maxFeePerGasWei,
        maxPriorityFeePerGas: tx.maxPriorityFeePerGasWei,
      };
      const { signature, recid } = ecdsaSign(keccak256(serializeTransaction(unsigned), "bytes"), key);
      const raw = serializeTransaction(unsigned, {
        r: bytesToHex(signature.subarray(0, 32)),
        s: bytesToHex(signature.subarray(32)),
        yParity: recid,
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}

export function createReceiptSigner(privateKey: Hex): ReceiptSigner {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Address,
    sign: (digest) => account.sign({ hash: bytesToHex(digest) }),
  };
}
