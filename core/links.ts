/** Addresses of the service's own pages and records, and of the block explorer's. */
import { checksum } from "./addresses.ts";
import type { Address, Hex } from "./agents/facts.ts";

/** What the addresses of the agents' records here begin with: the token id follows. */
export const recordsAt = (publicUrl: string): string => `${publicUrl}/api/v2/agent/`;

/** The URI of a token's metadata here. @param publicUrl base URL without a trailing slash */
export const tokenUriOf = (publicUrl: string, tokenId: number): string => `${publicUrl}/api/v2/metadata/${tokenId}`;

/** The URL of the collection's metadata (ERC-7572). @param publicUrl base URL without a trailing slash */
export const contractUriOf = (publicUrl: string): string => `${publicUrl}/api/v2/metadata/contract`;

/** @param explorer base URL without a trailing slash */
export const tokenLink = (explorer: string, contract: Address, tokenId: number): string =>
  `${explorer}/token/${checksum(contract)}?a=${tokenId}`;
export const txLink = (explorer: string, hash: Hex): string => `${explorer}/tx/${hash}`;

/** @param webUrl base URL without a trailing slash */
export const agentLink = (webUrl: string, tokenId: number): string => `${webUrl}/agent/${tokenId}`;
export const referralLink = (webUrl: string, code: string): string => `${webUrl}/mint?ref=${encodeURIComponent(code)}`;
