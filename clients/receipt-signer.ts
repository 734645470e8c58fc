/** Signs receipts (EIP-712) with a private key held in memory. */
import { privateKeyToAccount } from "viem/accounts";
import type { Address, Hex } from "../core/agents/facts.ts";
import type { ReceiptSigner } from "./ports.ts";

export function createReceiptSigner(privateKey: Hex): ReceiptSigner {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Address,
    sign: ({ domain, types, primaryType, message }) =>
      account.signTypedData({
        domain,
        types,
        primaryType,
        message: { ...message, tokenId: BigInt(message.tokenId), generatedAt: BigInt(message.generatedAt) },
      }),
  };
}
