/** The URLs of a token's and of the collection's metadata, as the contract returns them. */

/** @param publicUrl base URL without a trailing slash */
export const tokenUriOf = (publicUrl: string, tokenId: number): string => `${publicUrl}/api/v2/metadata/${tokenId}`;

/** The URL of the collection's metadata (ERC-7572). @param publicUrl base URL without a trailing slash */
export const contractUriOf = (publicUrl: string): string => `${publicUrl}/api/v2/metadata/contract`;
