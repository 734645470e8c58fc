/** Cleans untrusted text for a picture: one line, no invisible characters, no stacked marks, no reversed direction. */
import { normalForm } from "../normal-form.ts";

/** Joiners matter between letters or emoji; every other format character (bidi controls, tags, …) only hides or reorders. */
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}]--[\u200c\u200d\s]]/gv;
const STRAY_JOINER =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{Extended_Pictographic}])/gu;
const BLANK_LETTER = /[\u115f\u1160\u2800\u3164\uffa0]/gu;
/** Marks stacked on one letter reach into the lines above and below. No living script needs more than three. */
const STACKED = /(\p{M}{3})\p{M}+/gu;
const STRAY_MARK = /^\p{M}+|(?<= )\p{M}+/gu;

/** Code points of one character as people count them, at most: a family of emoji with its skin tones has eleven. */
const MAX_CHARACTER_CODE_POINTS = 12;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text as one clean line of at most `max` characters as people count them; a longer one ends in an ellipsis.
 * @returns "" when nothing visible is left.
 */
export function oneLine(raw: string, max: number): string {
  const clean = normalForm(raw, "NFC", max * MAX_CHARACTER_CODE_POINTS)
    .replace(UNSEEN, "")
    .replace(BLANK_LETTER, " ")
    .replace(STRAY_JOINER, "")
    .replace(/\s+/gu, " ")
    .replace(STACKED, "$1")
    .replace(STRAY_MARK, "")
    .trim();
  if (clean.length <= max) return clean;
  const cut: string[] = [];
  for (const { segment } of graphemes.segment(clean)) {
    if (cut.length === max) return `${cut.slice(0, -1).join("").trimEnd()}…`;
    cut.push(segment);
  }
  return clean;
}

/** The characters of a text as people count them. */
export const characters = (text: string): string[] =>
  // Segmenting is slow, and most texts do not need it.
  ASCII.test(text) ? Array.from(text) : Array.from(graphemes.segment(text), ({ segment }) => segment);

const ASCII = /^[\x20-\x7e]*$/;
