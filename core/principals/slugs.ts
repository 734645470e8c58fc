/** Slugs of organizations: their form, a key by which look-alikes are equal, and the slug suggested by a name. */
import { parseAddress } from "../addresses.ts";
import { normalForm } from "../normal-form.ts";

/** For 90 days after an organization is deleted, only its former owner can take its slug. */
export const SLUG_RETIREMENT_MS = 90 * 86_400_000;

/** Tested before lower-casing: some letters outside ASCII become ASCII ones. */
const SLUG = /^[0-9a-z]+(?:-[0-9a-z]+)*$/i;
const MIN = 2;
const MAX = 48;
/** Code points of a display name that a slug is made of. */
const MAX_NAME = 64;
/** Reserved words: they have another meaning in paths, in code, or for people. */
const RESERVED = new Set(["admin", "constructor", "false", "me", "new", "null", "prototype", "register", "true"]);
const ALSO_RESERVED = new Set(["undefined", "support", "official", "search", "self", "system"]);

/**
 * Converts a slug to its stored form.
 * @returns the slug, or the problem as a half-sentence ("must …")
 */
export function parseSlug(text: string): { slug: string } | { problem: string } {
  if (text.length < MIN || text.length > MAX || !SLUG.test(text))
    return { problem: `must be ${MIN} to ${MAX} of a-z, 0-9 and single hyphens between them` };
  const slug = text.toLowerCase();
  if (/^\d+$/.test(slug) || parseAddress(slug)) return { problem: "must not be a number or an address" };
  if (RESERVED.has(slug) || ALSO_RESERVED.has(slug)) return { problem: "is a reserved word" };
  return { slug };
}

/** Key by which look-alike slugs are equal; only one slug of a key can be taken. */
export const slugKey = (slug: string): string => slug.toLowerCase().replace(/0/g, "o").replace(/[1i]/g, "l");

/** The slug suggested by a display name; null when no usable character remains. */
export function suggestedSlug(name: string): string | null {
  const bare = normalForm(name, "NFKD", MAX_NAME)
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^0-9a-z]+/g, "-")
    // Leaves room for a suffix that makes the slug unique.
    .slice(0, MAX - 6)
    .replace(/^-+|(?<!-)-+$/g, "");
  const parsed = parseSlug(bare);
  return "slug" in parsed ? parsed.slug : null;
}
