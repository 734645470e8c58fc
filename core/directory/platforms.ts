/** The platforms whose agents the directory shows: the own registry, the canonical ERC-8004 registry, and the pulled ones. */

export type Platform = {
  /** Identifier: `platform` of the rows, and their `source` in the database and in metrics. */
  key: string;
  /** Display name, as in a row of the directory. */
  label: string;
  /** Whether the registry verifies that the wallet it names belongs to the agent. */
  provesWallets: boolean;
  /** Set when it launches the tokens that it names: its word about them counts. */
  launchesTokens?: true;
};

/** The service's own registry. It comes first: on a clash of ids its agent is taken. */
export const OWN_PLATFORM = "helixa";

/** The reference that opens the row of an agent and no other. @param agentId its id on the platform */
export const rowRef = (platform: string, agentId: string | number): string => `${platform}-${agentId}`;

const OWN_TOKEN_REF = new RegExp(`^${OWN_PLATFORM}-(0|[1-9]\\d{0,15})$`, "i");

/** The token id in the `rowRef` of an own agent, written in any case; null for any other text. */
export function readOwnTokenRef(text: string): number | null {
  const tokenId = Number(OWN_TOKEN_REF.exec(text)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(tokenId) ? tokenId : null;
}

/** An agent by its number, with the registry's contract or, without it, in the canonical ERC-8004 registry of the chain. */
export type GlobalId = { chainId: number; registry: string | null; agentId: string };

const GLOBAL_ID = /^(?:eip155:)?(\d{1,15}):(?:(0x[0-9a-f]{40}):)?(0|[1-9]\d{0,77})$/i;

/**
 * Reads a name that is unique in the world: `eip155:8453:<registry>:<id>`, as CAIP-10 writes accounts, and `8453:<id>`, as
 * registries of ERC-8004 agents do. Null for any other text.
 */
export function readGlobalId(text: string): GlobalId | null {
  const [, chain, registry, agentId] = GLOBAL_ID.exec(text) ?? [];
  return chain && agentId ? { chainId: Number(chain), registry: registry?.toLowerCase() ?? null, agentId } : null;
}

const INDEXED = [
  { key: OWN_PLATFORM, label: "Own registry", provesWallets: true },
  // The wallet registered itself, or signed for the registration (setAgentWallet).
  { key: "erc8004", label: "ERC-8004", provesWallets: true },
] as const satisfies readonly Platform[];

/** The pulled ones; how each is pulled is in registries.ts. */
export const PULLED = {
  virtuals: { key: "virtuals", label: "Virtuals", provesWallets: false, launchesTokens: true },
  agentverse: { key: "agentverse", label: "Agentverse", provesWallets: false },
  "mcp-registry": { key: "mcp-registry", label: "MCP registry", provesWallets: false },
  // The recipient of a payment may differ from the agent that answers.
  "x402-bazaar": { key: "x402-bazaar", label: "x402 Bazaar", provesWallets: false },
} as const satisfies Record<string, Platform>;

export type PlatformKey = (typeof INDEXED)[number]["key"] | keyof typeof PULLED;

/** All platforms. On a clash of ids the first one in this order is taken. */
export const PLATFORMS: readonly (Platform & { key: PlatformKey })[] = [...INDEXED, ...Object.values(PULLED)];

/** Reads a `rowRef`, its platform in any case; null for any other text. */
export function readRowRef(text: string): { platform: PlatformKey; agentId: string } | null {
  const isOf = ({ key }: Platform) => text.slice(0, key.length + 1).toLowerCase() === `${key}-`;
  const match = PLATFORMS.filter(isOf).sort((a, b) => b.key.length - a.key.length)[0];
  return match ? { platform: match.key, agentId: text.slice(match.key.length + 1) } : null;
}

/** The name of a platform for people; an unknown key is returned unchanged. */
export const platformLabel = (platform: string): string =>
  PLATFORMS.find(({ key }) => key === platform)?.label ?? platform;

/** Whether a platform proves that the wallet it names belongs to the agent. */
export const provesWallets = (platform: string): boolean =>
  PLATFORMS.some(({ key, provesWallets }) => key === platform && provesWallets);

export const LAUNCHING_PLATFORMS: readonly PlatformKey[] = PLATFORMS.flatMap(({ key, launchesTokens }) =>
  launchesTokens ? [key] : [],
);

/**
 * The schema of an agent in a path. One for agents of all registries and for those registered here: generators make one type
 * of each segment of a path. Registries name agents by up to 2,000 characters.
 */
export const AGENT_REF_SCHEMA = { type: "string", minLength: 1, maxLength: 2_100 };
