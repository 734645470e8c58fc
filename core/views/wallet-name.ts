/** The view of who a wallet is known as. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { address, score, tokenId } from "./fields.ts";

export const walletNameSchema = z
  .object({
    address,
    agent: z
      .object({
        platform: z.string(),
        agentId: z.string(),
        tokenId: tokenId.nullable(),
        name: z.string(),
        credScore: score,
      })
      .nullable()
      .meta({
        description:
          "The wallet's own agent: one here that it owns, verified or registered, else the best of the canonical registry that proves it",
      }),
    human: z.object({ id: z.string(), name: z.string() }).nullable(),
    organization: z.object({ slug: z.string(), name: z.string() }).nullable(),
  })
  .meta({ id: "WalletName" });
type WalletNameView = z.output<typeof walletNameSchema>;
export type WalletName = Omit<WalletNameView, "address"> & { address: Address };

export const walletNameView = (name: WalletName): WalletNameView => ({ ...name, address: checksum(name.address) });
