/** Untrusted words within texts of the service: nothing in them ends the quote, begins a line, or is markup. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  inOwnWords,
  OWN_WORDS,
  plainMarkdown,
  quoted,
  quotedMarkdown,
  withVisibleControls,
} from "../../core/quoted.ts";
import { forAll } from "../support/for-all.ts";

const words = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ...'"“”″〞＂\\\n\r\t\u2028\u009b\u001b\u202e>#-+=*_`[]()<>|&:/.@$~1aW ',
        "www.",
        "https://",
        "\ud800",
      ),
    )
    .map((parts) => parts.join("")),
);
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

describe("quoted words", () => {
  it("are one line in the only two double quotes there are", () =>
    forAll([words], (text) => {
      const shown = quoted(text);
      expect(shown).toMatch(/^"[^"“”„‟«»″＂]*"$/);
      expect(shown).not.toMatch(CONTROL);
      expect(shown.isWellFormed()).toBe(true);
      expect(inOwnWords(text)).toBe(`${OWN_WORDS}: ${shown}`);
    }));

  it("are as they were written otherwise", () => {
    expect(quoted("Atlas — the 2nd (β)")).toBe('"Atlas — the 2nd (β)"');
    expect(quoted('Atlas", verified by this service: "yes')).toBe(`"Atlas', verified by this service: 'yes"`);
    expect(quoted("a\u001b[2J\u202eb")).toBe('"a\\u001b[2J\\u202eb"');
  });
});

describe("words in Markdown", () => {
  it("are one line that begins with > below the mark, and every mark of theirs is escaped", () =>
    forAll([words], (text) => {
      const [mark, empty, quote, ...rest] = quotedMarkdown(text).split("\n");
      expect([mark, empty, rest]).toEqual([`${OWN_WORDS}:`, "", []]);
      expect(quote).toMatch(/^> /);
      const unescaped = quote!.slice(2).replaceAll(/\\[!-/:-@[-`{-~]/g, "x");
      expect(unescaped).not.toMatch(/[\\`*_{}[\]<>|~&$@]|:\/\/|www\.|^\d*[#+\-=.)]/i);
    }));

  it("are read as they were written where nothing is markup", () => {
    expect(plainMarkdown("Reviews contracts, in French (or Dutch): 5 a day.")).toBe(
      "Reviews contracts, in French (or Dutch): 5 a day.",
    );
  });
});

it("controls are visible, line feeds stay", () => {
  expect(withVisibleControls("a\u009b2J\nb\u2028c\u0007")).toBe("a\\u009b2J\nb\\u2028c\\u0007");
});
