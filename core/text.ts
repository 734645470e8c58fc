/** Text from people: NFC-normalised, trimmed, free of control, bidi and invisible characters, counted in code points. */
import { z } from "zod";
import { normalOrProblem } from "./normal-form.ts";

/** The characters that `String.prototype.trim` removes. SQL trims with the same list, so both agree which text is blank. */
export const BLANKS =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

/** Whether a text is empty or white space only. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** Length in code points, as people and JSON Schema count it; not in UTF-16 units. */
export function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export type TextRule = {
  /** Min code points after trimming; 0 by default. */
  min?: number;
  /** Max code points after trimming. */
  max: number;
  /** Allows line breaks and tabs, for long texts; a name is one line. */
  lines?: boolean;
};

/** Refused in every text: characters that reorder, hide or break it, and those that Postgres (NUL) or JSON (lone surrogates) cannot hold. */
const HARMFUL =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]--[\n\t]]/v;
/** Refused in one-line texts too: invisible characters, which make two different names look equal. */
const INVISIBLE = /[[\n\t\u2800\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/v;
/** A joiner between two emoji, which draws them as one picture; anywhere else in a name a joiner is invisible. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Converts a text to its stored form.
 * @returns the text, or the problem as a half-sentence ("must …") when it breaks the rule.
 */
export function cleanText(raw: string, rule: TextRule): { text: string } | { problem: string } {
  const normal = normalOrProblem(raw, "NFC", rule.max);
  if ("problem" in normal) return normal;
  const text = normal.text.replaceAll("\r\n", "\n").trim();
  if (HARMFUL.test(text)) return { problem: "must be free of control, bidi and invisible characters" };
  if (!rule.lines) {
    if (INVISIBLE.test(text.replace(EMOJI_JOINER, "")))
      return { problem: "must be one line without invisible characters" };
    if (text !== "" && !VISIBLE.test(text)) return { problem: "must have a visible character" };
  }
  const length = lengthOf(text);
  const min = rule.min ?? 0;
  if (length < min) return { problem: min === 1 ? "must not be empty" : `must have at least ${min} characters` };
  if (length > rule.max) return { problem: `must have at most ${rule.max} characters` };
  return { text };
}

/** A text that may be left out. An empty or blank text counts as absent, because forms send it for an empty field. */
export const optionalText = <T>(schema: z.ZodType<T, string>) =>
  z
    .preprocess(
      (given) => (typeof given === "string" && isBlank(given) ? undefined : given),
      schema.optional() as z.ZodType<T | undefined, string | undefined>,
    )
    .optional();

/** A zod schema of a text: any string in, its stored form out. The limits are in its OpenAPI description too. */
export const textSchema = (rule: TextRule) =>
  z
    .string()
    .transform((raw, ctx) => {
      const cleaned = cleanText(raw, rule);
      if ("text" in cleaned) return cleaned.text;
      ctx.addIssue(cleaned.problem);
      return z.NEVER;
    })
    .meta({ ...(rule.min && { minLength: rule.min }), maxLength: rule.max });
