/** Agents of the canonical ERC-8004 registry on Base as 8004scan reads them: further data on agents that are in the index. */
import { z } from "zod";
import { blankEntry } from "../entry.ts";
import { foreignAddress, foreignLink, foreignText, foreignTime } from "../foreign-text.ts";
import { field, type ItemReader } from "./reader.ts";

const BASE_CHAIN_ID = 8453;
/** Address of the canonical contract on every chain. Other contracts that call themselves registries are not listed here. */
const CANONICAL_REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";

const item = z.looseObject({
  token_id: z.union([z.int().min(0).transform(String), z.string().regex(/^(?:0|[1-9]\d{0,77})$/)]),
  chain_id: z.int(),
  contract_address: z.string(),
  owner_address: z.string().nullish(),
  name: z.string().nullish(),
  x402_supported: z.boolean().nullish(),
});

export const scan8004: ItemReader<"8004scan"> = {
  key: "8004scan",
  // Of the form of `sourceId` below.
  idOf: (raw) => field(raw, "agent_id")?.toLowerCase() ?? null,
  read(raw) {
    const agent = item.parse(raw);
    const registry = agent.contract_address.toLowerCase();
    if (agent.chain_id !== BASE_CHAIN_ID || registry !== CANONICAL_REGISTRY || agent.is_testnet === true) return null;
    const owner = foreignAddress(agent.owner_address);
    return {
      sourceId: `${BASE_CHAIN_ID}:${registry}:${agent.token_id}`,
      warnings: agent.owner_address && !owner ? ["owner_address is no address."] : [],
      entry: blankEntry({
        platform: "erc8004",
        agentId: agent.token_id,
        chainId: BASE_CHAIN_ID,
        name: foreignText(agent.name, 64) ?? "",
        description: foreignText(agent.description, 2_000, { lines: true }),
        imageUrl: foreignLink(agent.image_url),
        registry,
        ownerAddress: owner,
        x402Supported: agent.x402_supported === true,
        createdAt: foreignTime(agent.created_at),
      }),
    };
  },
};
