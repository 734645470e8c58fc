/** The registries whose agents the directory shows: the own one, the canonical one of ERC-8004, and those that are pulled. */
import { LISTING_REGISTRIES, type RegistryRow } from "./registries.ts";

export type Platform = Pick<RegistryRow, "key" | "label" | "provesWallets">;

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

const INDEXED = [
  { key: OWN_PLATFORM, label: "Own registry", provesWallets: true },
  // The wallet registered itself, or signed for the registration (setAgentWallet).
  { key: "erc8004", label: "ERC-8004", provesWallets: true },
] as const satisfies readonly Platform[];

export type PlatformKey = (typeof INDEXED)[number]["key"] | (typeof LISTING_REGISTRIES)[number]["key"];

/** In the order in which a clash of ids is decided. */
export const PLATFORMS: readonly (Platform & { key: PlatformKey })[] = [...INDEXED, ...LISTING_REGISTRIES];

/** Whether the wallet that a platform names for an agent is proven to be the agent's, or only said to be. */
export const provesWallets = (platform: PlatformKey): boolean =>
  PLATFORMS.some(({ key, provesWallets }) => key === platform && provesWallets);
