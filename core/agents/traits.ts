/** Traits: which of them are counted and shown, and the linked token that four reserved traits store. */
import { checksum, parseAddress } from "../addresses.ts";
import type { Trait } from "./facts.ts";

export type LinkedToken = { contractAddress: string; chain: string; symbol: string; name: string };

/** Prefix of the names of the traits that store a linked token; matched in any case. */
export const LINKED_TOKEN = "linked-token";
/** Without the `u` flag the match is ASCII-only, as it is in SQL. */
const STORAGE = new RegExp(`^${LINKED_TOKEN}`, "i");

/** Whether a trait only stores the linked token. Such a trait is neither shown nor counted. */
export const isLinkedTokenStorage = (name: string): boolean => STORAGE.test(name);

/** Every trait that counts, in the order added. */
export const countedTraits = (traits: readonly Trait[]): Trait[] =>
  traits.filter((trait) => !isLinkedTokenStorage(trait.name));

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
