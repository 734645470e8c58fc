/** The registries whose agents the terminal directory shows: one table, an entry for each. */

export type Platform = {
  /** Value of `platform` in a row, and the name of its source. */
  key: string;
  label: string;
  /** Whether the registry itself makes sure that the wallet it names is the agent's. */
  provesWallets: boolean;
};

/** The service's own registry comes first: on a clash of ids its agent is the one that is meant. */
export const OWN_PLATFORM = "helixa";

/** Id of an own agent as the directory's rows have it, beside the ids of other registries. */
export const ownTokenRef = (tokenId: number): string => `${OWN_PLATFORM}-${tokenId}`;

const OWN_TOKEN_REF = new RegExp(`^${OWN_PLATFORM}-(0|[1-9]\\d{0,15})$`, "i");

/** The token id in an `ownTokenRef`, written in any case; null for any other text. */
export function readOwnTokenRef(text: string): number | null {
  const tokenId = Number(OWN_TOKEN_REF.exec(text)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(tokenId) ? tokenId : null;
}

export const PLATFORMS = [
  { key: OWN_PLATFORM, label: "Own registry", provesWallets: true },
  // The wallet registered itself, or signed for the registration (setAgentWallet).
  { key: "erc8004", label: "ERC-8004", provesWallets: true },
  { key: "virtuals", label: "Virtuals", provesWallets: false },
  { key: "agentverse", label: "Agentverse", provesWallets: false },
  { key: "mcp-registry", label: "MCP registry", provesWallets: false },
  // Who is paid need not be who answers.
  { key: "x402-bazaar", label: "x402 Bazaar", provesWallets: false },
] as const satisfies readonly Platform[];

/** Whether the wallet that a platform names for an agent is proven to be the agent's, or only said to be. */
export const provesWallets = (platform: PlatformKey): boolean =>
  PLATFORMS.some(({ key, provesWallets }) => key === platform && provesWallets);
export type PlatformKey = (typeof PLATFORMS)[number]["key"];
