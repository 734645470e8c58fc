/** Who wallets are known as: names in place of addresses. */
import { z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import { walletNameSchema, walletNameView } from "../../core/views/wallet-name.ts";
import { walletNames } from "../../db/principals/wallet-names.ts";
import { endpoint } from "../endpoint.ts";

const MAX_WALLETS = 100;

export const namesOfWallets = endpoint({
  method: "get",
  path: "/api/v2/wallets",
  operationId: "nameWallets",
  tag: "Agents",
  summary: "Who wallets are known as: each one's agent, human and organization",
  description:
    "Wallets that nothing is known of are left out. An agent that only names a wallet gives it no name. Names are people's own words.",
  data: true,
  query: z.object({
    addresses: z
      .string()
      .transform((text, ctx) => {
        const addresses = text.split(",").flatMap((one) => parseAddress(one) ?? []);
        if (addresses.length <= MAX_WALLETS && addresses.length === text.split(",").length)
          return [...new Set(addresses)];
        ctx.addIssue(`must be 1 to ${MAX_WALLETS} 0x addresses, separated by commas`);
        return z.NEVER;
      })
      .meta({
        documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$" },
        description: `Up to ${MAX_WALLETS} addresses, separated by commas`,
        examples: ["0x19B16428f0721a5f627F190Ca61D493A632B423F"],
      }),
  }),
  responses: {
    200: {
      description: "Those that are known, in the order asked for",
      schema: z.object({ wallets: z.array(walletNameSchema) }).meta({ id: "WalletNames" }),
    },
  },
  handler: async ({ deps, query }, json) =>
    json({ wallets: (await walletNames(deps.db, query.addresses)).map(walletNameView) }),
});
