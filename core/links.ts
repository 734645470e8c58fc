/** Links for people: to the block explorer and to the service's own pages. */
import { checksum } from "./addresses.ts";
import type { Address, Hex } from "./agents/facts.ts";
import { OWN_PLATFORM } from "./directory/platforms.ts";

/** @param explorer base URL without a trailing slash */
export const tokenLink = (explorer: string, contract: Address, tokenId: number): string =>
  `${explorer}/token/${checksum(contract)}?a=${tokenId}`;
export const txLink = (explorer: string, hash: Hex): string => `${explorer}/tx/${hash}`;
export const addressLink = (explorer: string, address: Address): string => `${explorer}/address/${checksum(address)}`;

/** @param webUrl base URL without a trailing slash */
export const agentLink = (webUrl: string, tokenId: number): string => `${webUrl}/agent/${tokenId}`;
/** The page of an agent of the directory: its own, or the one that foreign agents share. */
export const directoryLink = (
  webUrl: string,
  { platform, agentId, tokenId }: { platform: string; agentId: string; tokenId: number | null },
): string =>
  platform === OWN_PLATFORM && tokenId !== null
    ? agentLink(webUrl, tokenId)
    : `${webUrl}/terminal/${encodeURIComponent(agentId)}?platform=${platform}`;
export const referralLink = (webUrl: string, code: string): string => `${webUrl}/mint?ref=${encodeURIComponent(code)}`;
