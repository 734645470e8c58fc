/** Schemas of verification: by the wallet's signature, and by the exchange's attestation of the owner. */
import { z } from "zod";
import { address, block, bytes32, tokenId, txHash } from "../../core/views/fields.ts";

export const verifySchema = z
  .object({
    success: z.literal(true),
    tokenId,
    verified: z.literal(true),
    txHash,
    block: block.meta({ description: "Give it to a read as minBlock to see the agent verified" }),
  })
  .meta({ id: "WalletVerified" });

export const exchangeVerifySchema = z
  .object({
    success: z.literal(true),
    tokenId,
    coinbaseVerified: z.literal(true),
    attestationUid: bytes32,
    attester: address,
    txHash: txHash.nullable().meta({ description: "null when the identity contract keeps no such mark" }),
    block: block.optional(),
  })
  .meta({ id: "ExchangeVerified" });
