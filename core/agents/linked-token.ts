/** The linked token, which four reserved traits store. */
import { checksum, parseAddress } from "../addresses.ts";
import type { Trait } from "./facts.ts";
import { isLinkedTokenStorage, LINKED_TOKEN } from "./traits.ts";

export type LinkedToken = { contractAddress: string; chain: string; symbol: string; name: string };

/**
 * The token that was linked last. The categories of the traits `linked-token`, `-chain`, `-symbol` and `-name` hold its
 * parts.
 * @returns null when no token was linked, or when it was unlinked with an empty address
 */
export function linkedToken(traits: readonly Trait[]): LinkedToken | null {
  const stored = new Map<string, string>();
  for (const trait of traits)
    if (isLinkedTokenStorage(trait.name)) stored.set(trait.name.toLowerCase(), trait.category);
  const contract = stored.get(LINKED_TOKEN)?.trim();
  if (!contract) return null;
  const address = parseAddress(contract);
  const symbol = stored.get(`${LINKED_TOKEN}-symbol`) ?? "";
  return {
    // Addresses of other chains have other forms and are returned unchanged.
    contractAddress: address ? checksum(address) : contract,
    chain: stored.get(`${LINKED_TOKEN}-chain`) || "base",
    symbol,
    name: stored.get(`${LINKED_TOKEN}-name`) || symbol,
  };
}
