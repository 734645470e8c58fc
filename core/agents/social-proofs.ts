/** Rules of all social proofs: the needle that proves an agent, the search for it in a text, and the trait for a proof. */
import { foreignText } from "../directory/foreign-text.ts";
import { normalForm } from "../normal-form.ts";

/** The text an account shows to prove an agent: `helixa:12`. @param prefix lower-case name of the service */
export const needleOf = (prefix: string, tokenId: number): string => `${prefix}:${tokenId}`;

/** Trait that an agent gets with its first proof on a platform. It is a decoration: only proof records count. */
export const proofTrait = (platform: string) => ({ name: `${platform}-verified`, category: "verification" });

/** Code points at the beginning of a text that are searched for a proof: more than a post or profile has. */
const MAX_SHOWN = 50_000;

/** Replaces compatibility forms and removes invisible characters: the result is the text as people see it. */
const plain = (text: string): string =>
  normalForm(text, "NFKC", MAX_SHOWN).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");

/** Part of a word or number: next to the needle, it makes the needle a different one. */
const WORD = String.raw`[\p{L}\p{N}\p{M}_]`;
/** Joins words into longer names (`x-helixa:1`, `helixa:1.5`), but may end a sentence as well. */
const JOINT = String.raw`[\-‐‑.:/\\@#&+=~%$*^']`;

/** Max UTF-16 units of a quote on each side of the needle: a whole bio or post, of a longer text the sentence. */
const QUOTE_UNITS_PER_SIDE = 160;
/** Max code points of a quote, with the longest needle. */
export const MAX_QUOTE = 400;

/**
 * The words in which a text shows the needle as a word of its own: `helixa:1` is shown by "I am helixa:1." but by none of
 * `helixa:12`, `xhelixa:1`, `x-helixa:1`, `helixa:1.5` and `helixa:1_`. Case counts. A mention shows it as well ("Beware
 * of helixa:1"), so a proof keeps these words, and people read them.
 * @returns one line, as people see it, with the words on both sides; null when the text does not show the needle
 */
export function quoteOf(text: string, needle: string): string | null {
  const literal = needle.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const alone = new RegExp(`(?<!${WORD})(?<!${WORD}${JOINT}+)${literal}(?!${WORD})(?!${JOINT}+${WORD})`, "u");
  const shown = plain(text);
  const at = alone.exec(shown)?.index;
  if (at === undefined) return null;
  const [from, to] = [Math.max(0, at - QUOTE_UNITS_PER_SIDE), at + needle.length + QUOTE_UNITS_PER_SIDE];
  const cut = { before: from > 0 ? "…" : "", after: to < shown.length ? "…" : "" };
  return foreignText(`${cut.before}${shown.slice(from, to)}${cut.after}`, MAX_QUOTE);
}
