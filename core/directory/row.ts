/** The API's view of a row of the directory. Keys are in snake_case, as in the specification. */
import { checksum, parseAddress } from "../addresses.ts";
import { type TierWord, tierOf, tierWord } from "../cred/tiers.ts";
import type { Service } from "./entry.ts";
import { OWN_PLATFORM, ownTokenRef } from "./platforms.ts";
import type { TokenSource } from "./token.ts";

/** A row of the database, with the claim about its token. Times are ISO 8601, amounts of money US dollars. */
export type DirectoryRow = {
  id: number;
  platform: string;
  agentId: string;
  address: string | null;
  tokenId: number | null;
  chainId: number | null;
  name: string;
  description: string | null;
  imageUrl: string | null;
  registry: string | null;
  ownerAddress: string | null;
  x402Supported: boolean;
  walletProven: boolean;
  /** Set for own agents; null for foreign agents. */
  walletConfirmed: boolean | null;
  createdAt: string | null;
  credScore: number;
  ethosScore: number | null;
  tokenAddress: string | null;
  tokenSymbol: string | null;
  tokenName: string | null;
  /** Whether sorts and filters count the token. */
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
type Market = {
  symbol: string | null;
  name: string | null;
  marketCapUsd: number | null;
  priceChange24h: number | null;
  volume24hUsd: number | null;
  liquidityUsd: number | null;
  source: string;
};

export type TerminalRow = {
  id: number;
  address: string | null;
  agent_id: string;
  /** `helixa-<token id>` for an own agent, the number of its token for a foreign agent. */
  token_id: string | null;
  /** Token id of an own agent. */
  tokenId: number | null;
  chain_id: number | null;
  name: string;
  description: string | null;
  image_url: string | null;
  platform: string;
  x402_supported: 0 | 1;
  verified: 0 | 1;
  cred_score: number;
  cred_tier: TierWord;
  created_at: string | null;
  owner_address: string | null;
  registry: string | null;
  token_symbol: string | null;
  token_name: string | null;
  token_address: string | null;
  token_market_cap: number | null;
  price_change_24h: number | null;
  volume_24h: number | null;
  liquidity_usd: number | null;
  ethos_score: number | null;
  market_data_source: string | null;
  /** Null without a token. */
  token_source: TokenSource | null;
  /** Whether sorts and filters count the token; null without one. */
  counts: boolean | null;
  updated_at: string;
  wallet_confirmed: boolean;
};

/** @param publicUrl base URL of the service's own links */
export function terminalRow(row: DirectoryRow, publicUrl: string): TerminalRow {
  const own = row.platform === OWN_PLATFORM ? row.tokenId : null;
  return {
    id: row.id,
    address: shownAddress(row.address),
    agent_id: row.agentId,
    token_id: own !== null ? ownTokenRef(own) : row.tokenId === null ? null : String(row.tokenId),
    tokenId: own,
    chain_id: row.chainId,
    name: row.name,
    description: row.description,
    image_url: own !== null ? `${publicUrl}/api/v2/aura/${own}.png` : row.imageUrl,
    platform: row.platform,
    x402_supported: row.x402Supported ? 1 : 0,
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
 * The token of a row: the one that its registry or its owner names, otherwise the claimed one. Figures are the market's;
 * whose word it is that the token is the agent's is said with them, and whether it counts.
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

/** Checksums an EVM address; any other text is returned unchanged. */
function shownAddress(text: string | null): string | null {
  const address = text === null ? null : parseAddress(text);
  return address ? checksum(address) : text;
}

/** The full view of an agent: its row, services, sources, and rows of the same agent on other platforms. */
export type TerminalDetail = TerminalRow & {
  services: Service[];
  /** Rows of other platforms with the same proven wallet. */
  same_as: { id: number; platform: string; agent_id: string; name: string; cred_score: number }[];
  provenance: { source: string; source_id: string; fetched_at: string; warnings: string[] }[];
};
