/** The API's view of a row of the directory. Keys are in snake_case, as in the specification. */
import { array, object, union, z } from "zod";
import { checksum, parseAddress } from "../addresses.ts";
import { tierOf, tierWord } from "../cred/tiers.ts";
import { moment, score, tier } from "../views/fields.ts";
import type { DirectoryEntry } from "./entry.ts";
import { OWN_PLATFORM, rowRef } from "./platforms.ts";
import { PRICED_FROM_USD, TOKEN_SOURCES, type TokenSource } from "./token.ts";

/** A row of the database, with the claim about its token. Times are ISO 8601, amounts of money US dollars. */
export type DirectoryRow = Omit<DirectoryEntry, "platform" | "services" | "traitCount" | "uses" | "usedAt"> & {
  id: number;
  platform: string;
  credScore: number;
  ethosScore: number | null;
  tokenCounts: boolean;
  market: Market | null;
  updatedAt: string;
  claim: RowClaim | null;
};

/** A claim about an agent's token, with market data of the claimed token. */
type RowClaim = {
  tokenAddress: string | null;
  tokenSymbol: string | null;
  tokenName: string | null;
  marketCapUsd: number | null;
  market: Market | null;
};
/** What a market says about a token; its price change is null where it is too small to have a price. */
export type Market = {
  symbol: string | null;
  name: string | null;
  marketCapUsd: number | null;
  priceChange24h: number | null;
  volume24hUsd: number | null;
  liquidityUsd: number | null;
  source: string;
};

const bit = union([z.literal(0), z.literal(1)]);
const usd = z.number().nullable().meta({ description: "US dollars; null = not known" });

export const terminalAgentSchema = object({
  id: z.int().min(1),
  address: z.string().nullable().meta({ description: "Checksummed where it is an EVM address" }),
  agent_id: z.string().meta({ description: "Its id on the platform" }),
  token_id: z.string().meta({
    description:
      "Opens this row and no other: its platform and its id there. Of a hit of discovery its token's number, where it has one",
    examples: ["helixa-7", "erc8004-13"],
  }),
  tokenId: z.int().min(0).nullable().meta({ description: "Own agents: the token id; null for all others" }),
  chain_id: z.int().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  image_url: z.string().nullable(),
  platform: z.string(),
  x402_supported: bit,
  active: z.boolean().meta({ description: "false: its registration file says that it is not active" }),
  verified: bit.meta({ description: "1: the wallet is proven to be the agent's" }),
  cred_score: score,
  cred_tier: tier,
  created_at: moment.nullable(),
  owner_address: z.string().nullable(),
  registry: z.string().nullable(),
  token_symbol: z.string().nullable(),
  token_name: z.string().nullable(),
  token_address: z.string().nullable(),
  token_market_cap: usd,
  price_change_24h: z
    .number()
    .nullable()
    .meta({
      description: `Per cent; null as well where the market has less than ${PRICED_FROM_USD} dollars of liquidity`,
    }),
  volume_24h: usd,
  liquidity_usd: usd,
  ethos_score: z.int().nullable(),
  market_data_source: z.string().nullable().meta({
    description: "Where the figures are from; `claimed`: from the claim itself, no market knows the token",
  }),
  token_source: z.enum(TOKEN_SOURCES).nullable().meta({
    description:
      "Whose word it is that the token is the agent's: `registry`, which launched it; `owner`, the agent's owner or wallet, who linked it; `claimed`, anybody's. Null without a token",
  }),
  counts: z.boolean().nullable().meta({
    description:
      "Whether sorts and filters count the token. A claimed one never does; a linked one where the linking wallet deployed it, is its owner(), or is named by the registry that launched it. Null without a token",
  }),
  updated_at: moment,
  wallet_confirmed: z.boolean().meta({
    description:
      "Own agents: whether that wallet owns, has verified or registered the token; others: whether their registry proves it",
  }),
}).meta({ id: "TerminalAgent" });
export type TerminalRow = z.output<typeof terminalAgentSchema>;

/** @param publicUrl base URL of the service's own links */
export function terminalRow(row: DirectoryRow, publicUrl: string): TerminalRow {
  const own = row.platform === OWN_PLATFORM ? row.tokenId : null;
  return {
    id: row.id,
    address: shownAddress(row.address),
    agent_id: row.agentId,
    token_id: rowRef(row.platform, row.agentId),
    tokenId: own,
    chain_id: row.chainId,
    name: row.name,
    description: row.description,
    image_url: own !== null ? `${publicUrl}/api/v2/aura/${own}.png` : linkOf(row.imageUrl, publicUrl),
    platform: row.platform,
    x402_supported: row.x402Supported ? 1 : 0,
    active: row.active,
    verified: row.walletProven ? 1 : 0,
    cred_score: row.credScore,
    cred_tier: tierWord(tierOf(row.credScore)),
    created_at: row.createdAt,
    owner_address: shownAddress(row.ownerAddress),
    registry: shownAddress(row.registry),
    ...tokenOf(row),
    ethos_score: row.ethosScore,
    updated_at: row.updatedAt,
    // A foreign agent's wallet is confirmed when its registry proves wallets.
    wallet_confirmed: row.walletConfirmed ?? row.walletProven,
  };
}

/**
 * The token of a row: the one that its registry or its owner names, otherwise the claimed one, with the market's figures.
 * `token_source` says who states that the token is the agent's, `counts` whether it is ranked by.
 */
function tokenOf(row: DirectoryRow) {
  const { claim } = row;
  const named = row.tokenAddress !== null || row.tokenSymbol !== null;
  const token = named || claim === null ? row : claim;
  const { market } = token;
  const source: TokenSource | null =
    token === claim ? "claimed" : !named ? null : row.platform === OWN_PLATFORM ? "owner" : "registry";
  return {
    token_symbol: (token === claim ? market?.symbol : null) ?? token.tokenSymbol,
    token_name: (token === claim ? market?.name : null) ?? token.tokenName,
    token_address: shownAddress(token.tokenAddress),
    token_market_cap: market ? market.marketCapUsd : token === claim ? claim.marketCapUsd : null,
    price_change_24h: market?.priceChange24h ?? null,
    volume_24h: market?.volume24hUsd ?? null,
    liquidity_usd: market?.liquidityUsd ?? null,
    market_data_source: market?.source ?? (token === claim ? "claimed" : null),
    token_source: source,
    counts: source === null ? null : source !== "claimed" && row.tokenCounts,
  };
}

/** A picture that this service serves has a path for its link. */
const linkOf = (link: string | null, publicUrl: string) => (link?.startsWith("/") ? publicUrl + link : link);

/** Checksums an EVM address; any other text is returned unchanged. */
function shownAddress(text: string | null): string | null {
  const address = text === null ? null : parseAddress(text);
  return address ? checksum(address) : text;
}

/** Fields that the view of one agent has in addition to its row. */
export const detailFields = {
  services: array(object({ name: z.string(), endpoint: z.string(), version: z.string().nullable() })),
  same_as: array(
    object({
      id: z.int().min(1),
      platform: z.string(),
      agent_id: z.string(),
      name: z.string(),
      cred_score: score,
    }),
  ).meta({ description: "Agents of other platforms with the same proven wallet" }),
  provenance: array(
    object({ source: z.string(), source_id: z.string(), fetched_at: moment, warnings: array(z.string()) }),
  ),
};
export type TerminalDetail = z.output<z.ZodObject<typeof detailFields>>;
