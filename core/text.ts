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

/**
 * Characters that no text has, users' own or foreign: those that reorder, hide or break it, and those that Postgres (NUL)
 * or JSON (lone surrogates) cannot hold.
 */
const HARMFUL =
  "[[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Noncharacter_Code_Point}\\u00ad\\u180e\\u200b\\u2060-\\u2064\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]--[\\n\\t]]";
/** The flags whose tags UTS #51 recommends for interchange (those of England, Scotland and Wales): one emoji each. */
const TAG_FLAG = "\\p{RGI_Emoji_Tag_Sequence}";
// Marked as pure: what the first script of the terminal does not use is left out of it.
const FLAGS_OR_HARMFUL = /* @__PURE__ */ new RegExp(`(${TAG_FLAG})|${HARMFUL}`, "gv");
const FLAGS = /* @__PURE__ */ new RegExp(TAG_FLAG, "gv");
const FIRST_HARMFUL = /* @__PURE__ */ new RegExp(HARMFUL, "v");

/** A text without harmful characters. */
export const withoutHarmful = (text: string): string => text.replace(FLAGS_OR_HARMFUL, "$1");

/** Refused in one-line texts too: invisible characters, which make two different names look equal. */
const INVISIBLE = /[[\n\t\u2800\p{Default_Ignorable_Code_Point}]--[\ufe0e\ufe0f]]/v;
/** A joiner between two emoji, which draws them as one picture. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu;
/** Arabic letters that join the next one (Joining_Type D). */
const JOINING =
  "\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff";
/** Those that join the one before only (Joining_Type R). */
const ENDING =
  "\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef";
/** Signs that take the vowel from a letter of an Indic script, after which a joiner decides how the cluster is drawn. */
const VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca";
/** A joiner that is spelling (UAX #31, rules A1, A2 and B): there it changes what is seen, anywhere else it is invisible. */
const SPELLING_JOINER = /* @__PURE__ */ new RegExp(
  `(?<=[${JOINING}]\\p{Mn}*)\\u200c(?=\\p{Mn}*[${JOINING}${ENDING}])|(?<=\\p{L}[${VIRAMA}])[\\u200c\\u200d](?=\\p{L})`,
  "gu",
);
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Converts a text to its stored form.
 * @returns the text, or the problem as a half-sentence ("must …") when it breaks the rule.
 */
export function cleanText(raw: string, rule: TextRule): { text: string } | { problem: string } {
  const normal = normalOrProblem(raw, "NFC", rule.max);
  if ("problem" in normal) return normal;
  const text = normal.text.replaceAll("\r\n", "\n").trim();
  const harmful = FIRST_HARMFUL.exec(text.replace(FLAGS, ""));
  if (harmful) return { problem: `must be free of control, bidi and invisible characters, has ${named(harmful[0])}` };
  if (!rule.lines) {
    const unseen = INVISIBLE.exec(text.replace(FLAGS, "").replace(EMOJI_JOINER, "").replace(SPELLING_JOINER, ""));
    if (unseen) return { problem: `must be one line without invisible characters, has ${named(unseen[0])}` };
    if (text !== "" && !VISIBLE.test(text)) return { problem: "must have a visible character" };
  }
  const length = lengthOf(text);
  const min = rule.min ?? 0;
  if (length < min) return { problem: min === 1 ? "must not be empty" : `must have at least ${min} characters` };
  if (length > rule.max) return { problem: `must have at most ${rule.max} characters` };
  return { text };
}

/** A character that cannot be shown: `U+200B`. */
const named = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

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
