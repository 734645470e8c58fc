/** An agent as a registry describes it, in the common form to which every source converts its items. */
import type { PlatformKey } from "./platforms.ts";

/** An endpoint of an agent. `name` is the registry's own: MCP, A2A, web, x402, … */
export type Service = { name: string; endpoint: string; version: string | null };

export type DirectoryEntry = {
  platform: PlatformKey;
  agentId: string;
  /** EVM addresses in lower case; addresses of other chains unchanged. */
  address: string | null;
  tokenId: number | null;
  chainId: number | null;
  name: string;
  description: string | null;
  /** A link, or the path below this service where the picture of a file is served. */
  imageUrl: string | null;
  /** Contract or host of the registry. */
  registry: string | null;
  ownerAddress: string | null;
  services: Service[];
  x402Supported: boolean;
  /** False: the agent itself says that it is not active. */
  active: boolean;
  /** The registry verifies that `address` belongs to the agent. */
  walletProven: boolean;
  /** Whether an own agent's wallet owns, has verified or has registered it. Null for foreign agents. */
  walletConfirmed: boolean | null;
  /** Number of services and skills, each counted once. */
  traitCount: number;
  /** ISO 8601. */
  createdAt: string | null;
  tokenAddress: string | null;
  tokenSymbol: string | null;
  tokenName: string | null;
  /** Number of uses, as its registry counts them. */
  uses: number;
  /** Time of the last use, ISO 8601; null when its registry does not provide it. */
  usedAt: string | null;
};

/** An entry with the agent's identity only; all other fields are empty. */
export const blankEntry = (
  entry: Pick<DirectoryEntry, "platform" | "agentId" | "name"> & Partial<DirectoryEntry>,
): DirectoryEntry => ({
  address: null,
  tokenId: null,
  chainId: null,
  description: null,
  imageUrl: null,
  registry: null,
  ownerAddress: null,
  services: [],
  x402Supported: false,
  active: true,
  walletProven: false,
  walletConfirmed: null,
  traitCount: 0,
  createdAt: null,
  tokenAddress: null,
  tokenSymbol: null,
  tokenName: null,
  uses: 0,
  usedAt: null,
  ...entry,
});
