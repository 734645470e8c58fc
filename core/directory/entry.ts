/** An agent as a registry describes it, in the one form that every source brings its items into. */
import type { PlatformKey } from "./platforms.ts";

/** One way to talk to an agent. `name` as the registry writes it: MCP, A2A, web, x402, … */
export type Service = { name: string; endpoint: string; version: string | null };

export type DirectoryEntry = {
  platform: PlatformKey;
  /** The platform's own id of the agent. */
  agentId: string;
  /** EVM addresses lower-case; those of other chains as they are written. */
  address: string | null;
  tokenId: number | null;
  chainId: number | null;
  name: string;
  description: string | null;
  imageUrl: string | null;
  /** Contract or host of the registry. */
  registry: string | null;
  ownerAddress: string | null;
  services: Service[];
  x402Supported: boolean;
  /** The registry makes sure that `address` is the agent's. */
  walletProven: boolean;
  /** Of an own agent: whether its wallet owns, has verified or registered it. Null for other registries' agents. */
  walletConfirmed: boolean | null;
  /** Services and skills, each counted once. */
  traitCount: number;
  /** ISO 8601. */
  createdAt: string | null;
  tokenAddress: string | null;
  tokenSymbol: string | null;
  tokenName: string | null;
  /** How often it was used, as its registry counts. */
  uses: number;
  /** When it was last used, ISO 8601; null when its registry does not say. */
  usedAt: string | null;
};

/** An entry that says nothing yet but who it is about. */
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
