/** Where a token's metadata is, as its tokenURI says it. */

/** @param publicUrl base URL without a trailing slash */
export const tokenUriOf = (publicUrl: string, tokenId: number): string => `${publicUrl}/api/v2/metadata/${tokenId}`;

/** Where the collection's metadata is (ERC-7572). @param publicUrl base URL without a trailing slash */
export const contractUriOf = (publicUrl: string): string => `${publicUrl}/api/v2/metadata/contract`;
