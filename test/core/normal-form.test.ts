/** Normal forms: what a stranger's text may cost, what is refused or cut, and that no living script notices. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteOf } from "../../core/agents/social-proofs.ts";
import { isReservedName, traitKey } from "../../core/agents/trait-input.ts";
import { oneLine } from "../../core/card/line.ts";
import { foreignText } from "../../core/directory/foreign-text.ts";
import { folded, wordsOf } from "../../core/discovery/split-words.ts";
import {
  beginningOf,
  MAX_MARKS_IN_A_ROW,
  type NormalForm,
  normalForm,
  normalOrProblem,
} from "../../core/normal-form.ts";
import { offerOf, type RawOffer } from "../../core/offers/offer.ts";
import { suggestedSlug } from "../../core/principals/slugs.ts";
import { cleanText } from "../../core/text.ts";
import { urlOf } from "../../core/urls.ts";
import { cpuOf } from "../support/cpu.ts";
import { forAll } from "../support/for-all.ts";

const FORMS: NormalForm[] = ["NFC", "NFKC", "NFKD"];
const isRun = new RegExp(`[\\p{M}\\uff9e\\uff9f]{${MAX_MARKS_IN_A_ROW + 1}}`, "u");

/** Runs that must be sorted, what becomes a mark, what becomes many characters, what is removed between marks. */
const PIECES = [
  ...["\u0301\u0316", "\u0316\u0301", "\u0591\u05b0", "\uff9e\u0301", "\uff9f", "\u0344", "\u0f73", "\u1e69", "\u0958"],
  ...[
    "\ufdfa",
    "\u200d",
    "\ufe0f",
    "\u034f",
    "a",
    "\ud55c",
    "\u1100\u1161\u11a8",
    "ß",
    "Σ",
    "İ",
    " ",
    "\r\n",
    "\ud800",
    "🤖",
  ],
];
/** Up to 64,000 UTF-16 units of few pieces in turn: a sequence of its own repeated, as an attacker makes it. */
const hostile = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 64_000 }))
  .map(([pieces, length]) => pieces.join("").repeat(Math.ceil(length / pieces.join("").length)));

/** What reads whole texts of strangers, each with its own bound. */
const READERS: Record<string, (text: string) => unknown> = {
  "a text of a person": (text) => cleanText(text, { max: 8_192, lines: true }),
  "a foreign text": (text) => foreignText(text, 8_192, { lines: true }),
  "a folded text": folded,
  "the words of a text": (text) => wordsOf(text, 600),
  "a slug": suggestedSlug,
  "the key of a trait": traitKey,
  "a reserved word": isReservedName,
  "a proof in a text": (text) => quoteOf(text, "helixa:12"),
  "a line of a card": (text) => oneLine(text, 64),
  "a host": (text) => urlOf(`https://${text}.example/`),
  "a schema": (text) => offerOf({ kind: "tool", name: "t", inputSchema: { [text]: [text] } } satisfies RawOffer),
};

describe("a stranger's text", () => {
  it.each(FORMS)("of any characters has runs of at most 30 marks in %s, or is refused", (form) =>
    forAll([hostile], { numRuns: 100 }, (text) => {
      const max = Math.ceil(text.length / 8);
      expect(isRun.test(normalForm(text, form, max))).toBe(false);
      const normal = normalOrProblem(text, form, max);
      if ("text" in normal) expect(normal.text).toBe(normalForm(text, form, max));
      else expect(normal.problem).toMatch(/^must have at most \d+ /);
    }),
  );

  it.each(Object.keys(READERS))("costs less than half a millisecond of CPU a kilobyte: %s", (name) => {
    let units = 0;
    const cpuMs = cpuOf(() =>
      forAll([hostile], { numRuns: 60 }, (text) => {
        units += text.length;
        READERS[name]!(text);
      }),
    );
    expect(cpuMs).toBeLessThan(50 + units / 2_000);
  });

  it("is cut between characters, before anything else walks it", () => {
    expect(beginningOf("🤖".repeat(9), 1)).toBe("🤖🤖🤖🤖");
    expect(beginningOf(`a${"🤖".repeat(9)}`, 1)).toBe("a🤖🤖🤖");
    expect(normalOrProblem("e\u0301".repeat(3), "NFC", 3)).toEqual({ text: "ééé" });
    expect(normalOrProblem("a".repeat(17), "NFC", 2)).toEqual({ problem: "must have at most 2 characters" });
  });

  it("is no URL when its host is longer than any name, however the slashes are written", () => {
    for (const before of ["https://", "https:", "http:/", "\\\\\\\\", "//", "ht\ntps://", "https:\t//user@"])
      expect(urlOf(`${before}${"a".repeat(600)}.com/`, new URL("https://a.test"))).toBeNull();
    expect(urlOf(`/${"a".repeat(600)}`, new URL("https://a.test"))?.host).toBe("a.test");
    expect(urlOf(`https://a.test/${"a".repeat(600)}?b=${"c".repeat(2_000)}`)?.host).toBe("a.test");
  });

  it("has one name as a host, whoever writes the dot of its absolute form", () => {
    const hosts = ["https://A.test.:8080/b", "//a.test%2e:8080/b", "https://a.test。:8080/b", "https://a.test:8080/b"];
    for (const text of hosts) expect(urlOf(text, new URL("https://b.test"))?.href).toBe("https://a.test:8080/b");
    for (const text of ["https://a.test../", "https://./", "https://../"]) expect(urlOf(text)).toBeNull();
    expect(urlOf("https://127.0.0.1./")?.host).toBe("127.0.0.1");
    expect(urlOf("data:,a.")?.href).toBe("data:,a.");
  });

  it("may have 30 marks in a row, decomposed ones counted as they become", () => {
    const zalgo = `Z${"\u0316".repeat(15)}${"\u0301".repeat(15)}algo`;
    expect(cleanText(zalgo, { max: 64 })).toEqual({ text: zalgo.normalize("NFC") });
    expect(foreignText(zalgo, 64)).toBe(zalgo.normalize("NFC"));
    const problem = "must have at most 30 combining marks in a row";
    expect(cleanText(`a${"\u0316".repeat(31)}`, { max: 64 })).toEqual({ problem });
    expect(cleanText(`a${"\u0344".repeat(16)}`, { max: 64 })).toEqual({ problem });
    expect(foreignText(`a${"\u0316".repeat(31)}b`, 64)).toBe(`a${"\u0316".repeat(30)}b`);
  });

  it.each([
    "Nguyễn Thị Hương ở Huế".normalize("NFD"),
    "น้ำทิพย์ที่สุด",
    "བཀྲ་ཤིས་བདེ་ལེགས། སྐྱབས་སུ་མཆིའོ",
    "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
    "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ",
    "क्षत्रिय श्रीमती",
    "각하 조선글".normalize("NFD"),
    "ﾊﾟﾋﾟﾌﾟ ガギグ",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻",
    "Ἀχιλλεύς, ὦ φίλε",
    "ﷺ ① ﬁ Ⅳ",
  ])("of a living script passes unchanged: %s", (text) => {
    for (const form of FORMS) {
      expect(normalForm(text, form, 64)).toBe(text.normalize(form));
      expect(normalOrProblem(text, form, 64)).toEqual({ text: text.normalize(form) });
    }
  });

  it("has every character that is sorted like a mark counted as one", () => {
    const last = "\u0345";
    for (let code = 0; code <= 0x10ffff; code++) {
      const one = String.fromCodePoint(code);
      const normal = one.normalize("NFKD");
      const isSorted = `a${last}${one}`.normalize("NFKD") !== `a${last}${normal}`;
      if (isSorted && !/[\p{M}\uff9e\uff9f]/u.test(one)) expect.fail(`U+${code.toString(16)}`);
    }
  });
});
