/** Traits: which count and are shown, and the linked token that four reserved ones store. */
import { checksum, parseAddress } from "./addresses.ts";
import type { Trait } from "./facts.ts";

export type LinkedToken = { contractAddress: string; chain: string; symbol: string; name: string };

/** How the names of the traits that store a linked token begin, in any case. */
export const LINKED_TOKEN = "linked-token";
/** Without the `u` flag the match is ASCII-only, as it is in SQL. */
const STORAGE = new RegExp(`^${LINKED_TOKEN}`, "i");

/** The storage of the linked token is not a trait: not shown, not counted. */
export const isLinkedTokenStorage = (name: string): boolean => STORAGE.test(name);

/** Every trait that counts, in the order added. */
export const countedTraits = (traits: readonly Trait[]): Trait[] =>
  traits.filter((trait) => !isLinkedTokenStorage(trait.name));

/**
 * The token linked last: the traits `linked-token`, `-chain`, `-symbol` and `-name` hold its parts as categories.
 * @returns null when none was linked, or when it was unlinked with an empty address.
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
    // Other chains write addresses in other forms; those stay as they were linked.
    contractAddress: address ? checksum(address) : contract,
    chain: stored.get(`${LINKED_TOKEN}-chain`) || "base",
    symbol,
    name: stored.get(`${LINKED_TOKEN}-name`) || symbol,
  };
}
