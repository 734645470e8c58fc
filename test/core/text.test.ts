/** Text rules: what a text and a name may hold, how they are counted, and what is spam. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameworkSchema } from "../../core/agents/framework-input.ts";
import { canonicalFramework, FRAMEWORKS } from "../../core/agents/frameworks.ts";
import { agentNameSchema, dotAgentKey } from "../../core/agents/names.ts";
import { Failure } from "../../core/errors.ts";
import { isSpam } from "../../core/spam.ts";
import { BLANKS, cleanText, isBlank, lengthOf } from "../../core/text.ts";
import { forAll } from "../support/for-all.ts";

/** The flag of a region that is spelled with tags. */
const flagOf = (region: string) =>
  `\u{1f3f4}${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("")}\u{e007f}`;

const name = (input: unknown) => agentNameSchema.safeParse(input);
const problem = (input: unknown) => name(input).error?.issues[0]?.message;

describe("an agent name", () => {
  it.each([
    ["Bendr 2.0", "Bendr 2.0"],
    ["  trimmed\u3000", "trimmed"],
    ["Cafe\u0301", "Café"],
    ["日本のエージェント", "日本のエージェント"],
    ["نوف", "نوف"],
    ["🤖", "🤖"],
    ["👩\u200d💻 dev", "👩\u200d💻 dev"],
    // The three flags of UTS #51 that are spelled with tags.
    ...["gbeng", "gbsct", "gbwls"].map((region) => [`Alba ${flagOf(region)}`, `Alba ${flagOf(region)}`]),
    // Joiners that are spelling: Persian, with a vowel sign too, and Indic clusters.
    ["می\u200cرود", "می\u200cرود"],
    ["مِی\u200cخواهم", "مِی\u200cخواهم"],
    ["क्\u200dष", "क्\u200dष"],
    ["ক্\u200cষ", "ক্\u200cষ"],
    ["❤\ufe0f", "❤\ufe0f"],
    ["a".repeat(64), "a".repeat(64)],
    ["🤖".repeat(64), "🤖".repeat(64)],
    ["'; drop table agent; --", "'; drop table agent; --"],
    ["<b>bold</b>", "<b>bold</b>"],
  ])("may be %j", (input, stored) => expect(name(input).data).toBe(stored));

  it.each([
    ["", "must not be empty"],
    ["   ", "must not be empty"],
    ["a".repeat(65), "must have at most 64 characters"],
    ["🤖".repeat(65), "must have at most 64 characters"],
    ["a\u0000b", "must be free of control, bidi and invisible characters, has U+0000"],
    ["a\u202eb", "must be free of control, bidi and invisible characters, has U+202E"],
    ["a\u200bb", "must be free of control, bidi and invisible characters, has U+200B"],
    ["a\u2066b", "must be free of control, bidi and invisible characters, has U+2066"],
    ["a\ufeffb", "must be free of control, bidi and invisible characters, has U+FEFF"],
    ["a\ud800b", "must be free of control, bidi and invisible characters, has U+D800"],
    ["a\u{e0041}b", "must be free of control, bidi and invisible characters, has U+E0041"],
    ["a\nb", "must be one line without invisible characters, has U+000A"],
    ["a\tb", "must be one line without invisible characters, has U+0009"],
    [`a${flagOf("ustx")}b`, "must be free of control, bidi and invisible characters, has U+E0075"],
    [flagOf("gbsct").slice(0, -2), "must be free of control, bidi and invisible characters, has U+E0067"],
    // After a letter that joins nothing, before a space, between Latin letters, at an end: there nobody sees it.
    ["دا\u200cر", "must be one line without invisible characters, has U+200C"],
    ["می\u200c رود", "must be one line without invisible characters, has U+200C"],
    ["می\u200c\u200cرود", "must be one line without invisible characters, has U+200C"],
    ["a\u200cb", "must be one line without invisible characters, has U+200C"],
    ["می\u200c", "must be one line without invisible characters, has U+200C"],
    ["क\u200dष", "must be one line without invisible characters, has U+200D"],
    ["a\u200db", "must be one line without invisible characters, has U+200D"],
    ["\u3164", "must be one line without invisible characters, has U+3164"],
    ["\u2800", "must be one line without invisible characters, has U+2800"],
    ["\u0301", "must have a visible character"],
  ])("may not be %j", (input, message) => expect(problem(input)).toBe(message));

  it.each([undefined, null, 7, {}, ["a"]])("is a string, not %j", (input) => expect(name(input).success).toBe(false));
});

describe("every text", () => {
  const unit = fc.oneof(
    { arbitrary: fc.string({ unit: "binary", maxLength: 40 }), weight: 2 },
    {
      arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((u) => String.fromCharCode(...u)),
      weight: 1,
    },
    { arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }), weight: 2 },
  );

  it("is refused with a reason, or comes out normalised, trimmed, well-formed and again acceptable", () =>
    forAll([unit, fc.boolean()], { numRuns: 1000 }, (raw, lines) => {
      const cleaned = cleanText(raw, { max: 30, lines });
      if ("problem" in cleaned) {
        expect(cleaned.problem).toMatch(/^must /);
        return;
      }
      const { text } = cleaned;
      expect(text).toBe(text.normalize("NFC").trim());
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/[\p{Cc}--[\n\t]]|[\u202a-\u202e\u2066-\u2069\u200b]/v);
      if (!lines) expect(text).not.toMatch(/[\r\n\t\u2028\u2029]/);
      expect(lengthOf(text)).toBeLessThanOrEqual(30);
      expect(cleanText(text, { max: 30, lines })).toEqual({ text });
    }));

  it("keeps line breaks where it may have lines", () => {
    expect(cleanText("one\r\ntwo\n\tthree", { max: 99, lines: true })).toEqual({ text: "one\ntwo\n\tthree" });
  });

  it("is blank by the same characters that SQL is told to trim", () => {
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      if (isBlank(character) !== BLANKS.includes(character)) expect.fail(`U+${code.toString(16)}`);
    }
  });
});

describe("spam", () => {
  it.each(["", " ", "a", " a ", "🤖", "aaaa", "🤖🤖", "  ..  "])("is %j", (n) => expect(isSpam(n)).toBe(true));
  it.each(["ab", "aA", "aab", "🤖🤠", "a a"])("is not %j", (n) => expect(isSpam(n)).toBe(false));
});

describe("the .agent namespace", () => {
  it.each([
    ["Bendr", "bendr"],
    ["BENDR.agent", "bendr"],
    ["bendr.AGENT", "bendr"],
    ["a_-0", "a_-0"],
    ["x".repeat(32), "x".repeat(32)],
  ])("knows %s as %s", (input, key) => expect(dotAgentKey(input)).toBe(key));

  it.each(["", "a", "a.agent", "x".repeat(33), "a b", "a.b", "bendr.agent.agent", "ünï", "a\u0000b", "lin\u212aed"])(
    "refuses %j",
    (input) => expect(() => dotAgentKey(input)).toThrow(Failure),
  );
});

describe("a framework", () => {
  it("is known in any case, and by its other name", () => {
    for (const framework of FRAMEWORKS) expect(canonicalFramework(` ${framework.toUpperCase()} `)).toBe(framework);
    expect(frameworkSchema.parse("ElizaOS")).toBe("eliza");
  });
  it.each(["", "constructor", "__proto__", "toString", "react", "custom1"])("is not %j", (input) => {
    expect(canonicalFramework(input)).toBeNull();
    expect(frameworkSchema.safeParse(input).success).toBe(false);
  });
});
