/** How far a text reads like a description: lists of keywords and repetitions are for searches, not for readers. */
import { FUNCTION_WORDS } from "./words.ts";

/** Shorter texts cannot be told: a terse description is a list too. */
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
