/** How far a text reads like a description: lists of keywords and repetitions are for searches, not for readers. */
import { FUNCTION_WORDS } from "./split-words.ts";

/** Shorter texts are not judged: a short description and a list of keywords look the same. */
const MIN_WORDS = 40;

/** @param words all words of the agent's own text @param text the text @returns 0 (stuffed) to 1 */
export function textQuality(words: readonly string[], text: string): number {
  const long = Math.min(1, Math.max(0, (words.length - MIN_WORDS) / 40));
  if (long === 0) return 1;
  const content = words.filter((word) => !FUNCTION_WORDS.has(word));
  const distinct = new Set(content).size / Math.max(1, content.length);
  // Of a hundred words of plain text, half to nine tenths are different.
  const repeated = clamp((0.45 - distinct) / 0.2);
  const separators = (text.match(/[,;|•·/\n]/g)?.length ?? 0) / words.length;
  const functional = 1 - content.length / words.length;
  // A list has a separator every few words, and hardly a word between them that only connects.
  const listed = clamp((separators - 0.12) / 0.13) * clamp((0.3 - functional) / 0.15);
  return 1 - long * Math.max(repeated, listed);
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** Marks and formats that are not seen, but for the joiners inside scripts and emoji that need them. */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is looked for by itself
  /[\p{Cf}\u{e0000}-\u{e0fff}]|\u034f|[\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\uffa0]/u;
const NEEDS_JOINERS =
  /[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Sinhala}]/u;
const LATIN = /\p{Script=Latin}/u;
const DRAWN_LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** The most that the text of an agent counts whose name imitates an older one's. */
export const IMITATION_QUALITY = 0.5;

/** @returns 0 for a name with hidden characters, or with a word in letters of two scripts; half for a claim to be the real one */
export function nameQuality(name: string): number {
  if (HIDDEN.test(name) && !NEEDS_JOINERS.test(name)) return 0;
  if (name.split(/\s+/).some((word) => LATIN.test(word) && DRAWN_LIKE_LATIN.test(word))) return 0;
  return /\b(official|the real|the original|genuine)\b/i.test(name) ? 0.5 : 1;
}
