/** Traits: which of them are counted and shown. */
import type { Trait } from "./facts.ts";

/** Prefix of the names of the traits that store a linked token; matched in any case. */
export const LINKED_TOKEN = "linked-token";
/** Without the `u` flag the match is ASCII-only, as it is in SQL. */
const STORAGE = new RegExp(`^${LINKED_TOKEN}`, "i");

/** Whether a trait only stores the linked token. Such a trait is neither shown nor counted. */
export const isLinkedTokenStorage = (name: string): boolean => STORAGE.test(name);

/** Every trait that counts, in the order added. */
export const countedTraits = (traits: readonly Trait[]): Trait[] =>
  traits.filter((trait) => !isLinkedTokenStorage(trait.name));
