/** Links for people: to the block explorer and to the service's own pages. */
import { checksum } from "./addresses.ts";
import type { Address, Hex } from "./agents/facts.ts";

/** @param explorer base URL without a trailing slash */
export const tokenLink = (explorer: string, contract: Address, tokenId: number): string =>
  `${explorer}/token/${checksum(contract)}?a=${tokenId}`;
export const txLink = (explorer: string, hash: Hex): string => `${explorer}/tx/${hash}`;
export const addressLink = (explorer: string, address: Address): string => `${explorer}/address/${checksum(address)}`;

/** @param webUrl base URL without a trailing slash */
export const agentLink = (webUrl: string, tokenId: number): string => `${webUrl}/agent/${tokenId}`;
export const referralLink = (webUrl: string, code: string): string => `${webUrl}/mint?ref=${encodeURIComponent(code)}`;
