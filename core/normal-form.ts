/**
 * Unicode's normal forms of untrusted texts, at a cost that grows with their length alone: the one place that
 * normalises. ICU sorts each run of combining marks by class in quadratic time: 80 ms for 16,000 of them.
 */

export type NormalForm = "NFC" | "NFKC" | "NFKD";

/** Max marks in a row (UAX #15, stream-safe format). No living script needs a third of them. */
export const MAX_MARKS_IN_A_ROW = 30;
/** Max UTF-16 units for each code point of a normal text: what became one character were up to four, of two units each. */
const UNITS_PER_CODE_POINT = 8;

/** Marks, and the two letters that compatibility forms turn into marks. */
const MARK = String.raw`[\p{M}\uff9e\uff9f]`;
const TOO_MANY = new RegExp(`(?<!${MARK})${MARK}{${MAX_MARKS_IN_A_ROW + 1}}`, "u");
const SURPLUS = new RegExp(`(?<!${MARK})(${MARK}{${MAX_MARKS_IN_A_ROW}})${MARK}+`, "gu");
/** What remains of a character that a cut went through. */
const HALF = /[\ud800-\udbff]$/;

/**
 * A normal form of a text that is refused rather than changed.
 * @param max code points that the result may have; a text that may still fit is not refused
 * @returns the text, or the problem as a half-sentence ("must …")
 */
export function normalOrProblem(raw: string, form: NormalForm, max: number): { text: string } | { problem: string } {
  if (raw.length > max * UNITS_PER_CODE_POINT) return { problem: `must have at most ${max} characters` };
  if (!TOO_MANY.test(raw)) {
    const text = raw.normalize(form);
    // A few marks decompose into two.
    if (!TOO_MANY.test(text)) return { text };
  }
  return { problem: `must have at most ${MAX_MARKS_IN_A_ROW} combining marks in a row` };
}

/** The beginning of a text: enough for a normal text of `max` code points. Nothing walks more of an untrusted text. */
export const beginningOf = (raw: string, max: number): string =>
  raw.length <= max * UNITS_PER_CODE_POINT ? raw : raw.slice(0, max * UNITS_PER_CODE_POINT).replace(HALF, "");

/**
 * A normal form of a text's beginning, without the marks beyond `MAX_MARKS_IN_A_ROW` in a row.
 * @param max code points that are of interest; characters that become several may make more of them
 */
export const normalForm = (raw: string, form: NormalForm, max: number): string =>
  beginningOf(raw, max).replace(SURPLUS, "$1").normalize(form).replace(SURPLUS, "$1");
