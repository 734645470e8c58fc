/** Schemas of verification: by the wallet's signature, and by the exchange's attestation of the owner. */
import { z } from "zod";
import { address, block, tokenId, txHash } from "./fields.ts";

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
    attestationUid: z.string().regex(/^0x[0-9a-f]{64}$/),
    attester: address,
    txHash: txHash.nullable().meta({ description: "null when the identity contract keeps no such mark" }),
    block: block.optional(),
  })
  .meta({ id: "ExchangeVerified" });
