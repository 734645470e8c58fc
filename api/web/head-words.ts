/** The words of a page's head that all subjects share: the service's sentence first, then what the subject says of itself, cut. */
import { foreignText } from "../../core/directory/foreign-text.ts";
import { inOwnWords } from "../../core/quoted.ts";

const WORDS_LENGTH = 240;
const NAME_LENGTH = 64;

/** A name on one line; null where there is none. */
export const nameLine = (name: string | null): string | null => line(name, NAME_LENGTH);
/** What a subject says of itself, on one line. */
export const ownLine = (words: string | null): string | null => line(words, WORDS_LENGTH);

/** The service's own sentence: always of this form, always in front of the subject's words. */
export const scoreSentence = (score: number, tier: string): string => `Cred score ${score} of 100 (${tier}).`;

export const described = (says: string, ownWords: string | null): string =>
  ownWords === null ? says : `${says} ${inOwnWords(ownWords)}`;

/** One line without characters that reorder or hide text; an ellipsis marks a cut. */
function line(text: string | null, max: number): string | null {
  const whole = foreignText(text, 4_000);
  if (whole === null || [...whole].length <= max) return whole;
  return `${foreignText(whole, max - 1)}…`;
}
