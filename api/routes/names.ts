/** The .agent namespace: is a name free? */
import { z } from "zod";
import { checksum, parseAddress } from "../../core/addresses.ts";
import { dotAgentKey, withDotAgent } from "../../core/agents/names.ts";
import { walletNameSchema, walletNameView } from "../../core/views/human.ts";
import { nameHolder } from "../../db/lists/agent-list-sql.ts";
import { walletNames } from "../../db/principals/wallet-names.ts";
import { endpointsOf } from "../endpoint.ts";
import { textAs } from "../parameters.ts";
import { nameCheckSchema } from "../schemas/agent.ts";

const endpoint = endpointsOf({ tag: "Agents", data: true });

export const nameCheck = endpoint({
  path: "/api/v2/name/{name}",
  operationId: "checkName",
  summary: "Whether a .agent name is free, and who holds it",
  params: z.object({
    name: z.string().meta({
      documented: { type: "string", pattern: "^[0-9A-Za-z_-]{2,32}(\\.[aA][gG][eE][nN][tT])?$" },
      description: "2 to 32 of a-z, 0-9, - and _, in any case, with or without .agent",
      examples: ["atlas"],
    }),
  }),
  responses: { 200: { description: "The answer of the index", schema: nameCheckSchema } },
  async handler({ deps, params }, json) {
    const key = dotAgentKey(params.name);
    const tokenId = await nameHolder(deps.db, { key });
    return json({
      name: withDotAgent(key),
      available: tokenId === null,
      tokenId,
      contract: checksum(deps.config.contracts.identity.address),
    });
  },
});

const MAX_WALLETS = 100;

export const namesOfWallets = endpoint({
  method: "get",
  path: "/api/v2/wallets",
  operationId: "nameWallets",
  summary: "Who wallets are known as: each one's agent, human and organization",
  description:
    "Wallets that nothing is known of are left out. An agent that only names a wallet gives it no name. Names are people's own words.",
  query: z.object({
    addresses: textAs((text) => {
      const named = text.split(",");
      const addresses = named.flatMap((one) => parseAddress(one) ?? []);
      return named.length <= MAX_WALLETS && addresses.length === named.length ? [...new Set(addresses)] : null;
    }, `must be 1 to ${MAX_WALLETS} 0x addresses, separated by commas`).meta({
      documented: { type: "string", pattern: "^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$" },
      description: `Up to ${MAX_WALLETS} addresses, separated by commas`,
      examples: ["0x19B16428f0721a5f627F190Ca61D493A632B423F"],
    }),
  }),
  responses: {
    200: {
      description: "Those that are known, in the order of the request for",
      schema: z.object({ wallets: z.array(walletNameSchema) }).meta({ id: "WalletNames" }),
    },
  },
  handler: async ({ deps, query }, json) =>
    json({ wallets: (await walletNames(deps.db, query.addresses)).map(walletNameView) }),
});
