/** Slugs of organizations: what one may look like, when two are the same to the eye, and the one that a name suggests. */
import { parseAddress } from "../addresses.ts";

/** So long a deleted organization's slug is nobody's but its former owner's. */
export const SLUG_RETIREMENT_MS = 90 * 86_400_000;

/** Tested before lower-casing: some letters outside ASCII become ASCII ones. */
const SLUG = /^[0-9a-z]+(?:-[0-9a-z]+)*$/i;
const MIN = 2;
const MAX = 48;
/** Words that mean something else on paths, in code, or to people. */
const RESERVED = new Set(["admin", "constructor", "false", "me", "new", "null", "prototype", "register", "true"]);
const ALSO_RESERVED = new Set(["undefined", "support", "official", "search", "self", "system"]);

/**
 * A slug in its stored form.
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

/** A slug as the eye takes it: slugs with the same key look alike, and only one of them is given away. */
export const slugKey = (slug: string): string => slug.toLowerCase().replace(/0/g, "o").replace(/[1i]/g, "l");

/** The slug that a display name suggests; null when nothing usable remains of it. */
export function suggestedSlug(name: string): string | null {
  const bare = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^0-9a-z]+/g, "-")
    // Room is left for what tells it from an equal one.
    .slice(0, MAX - 6)
    .replace(/^-+|-+$/g, "");
  const parsed = parseSlug(bare);
  return "slug" in parsed ? parsed.slug : null;
}
