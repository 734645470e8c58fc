/** The platforms whose agents the directory shows: the own registry, the canonical ERC-8004 registry, and the pulled ones. */
import { LISTING_REGISTRIES, type RegistryRow } from "./registries.ts";

export type Platform = Pick<RegistryRow, "key" | "label" | "provesWallets" | "launchesTokens">;

/** The service's own registry. It comes first: on a clash of ids its agent is taken. */
export const OWN_PLATFORM = "helixa";

/** Id of an own agent in the rows of the directory. */
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

/** All platforms. On a clash of ids the first one in this order is taken. */
export const PLATFORMS: readonly (Platform & { key: PlatformKey })[] = [...INDEXED, ...LISTING_REGISTRIES];

/** The name of a platform for people; an unknown key is returned unchanged. */
export const platformLabel = (platform: string): string =>
  PLATFORMS.find(({ key }) => key === platform)?.label ?? platform;

/** Whether a platform proves that the wallet it names belongs to the agent. */
export const provesWallets = (platform: PlatformKey): boolean =>
  PLATFORMS.some(({ key, provesWallets }) => key === platform && provesWallets);

/** The platforms that launch the tokens of their agents. */
export const LAUNCHING_PLATFORMS: readonly PlatformKey[] = PLATFORMS.flatMap(({ key, launchesTokens }) =>
  launchesTokens ? [key] : [],
);
