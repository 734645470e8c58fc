/** What people may write about themselves: links, lists, contact data, slugs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { contactSchema, imageUrl, memberList, statedMap, wordList } from "../../core/principals/input.ts";
import { parseSlug, slugKey, suggestedSlug } from "../../core/principals/slugs.ts";

const fits = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe("a picture", () => {
  it.each([
    ["https://example.org/a.png", "https://example.org/a.png"],
    ["HTTPS://EXAMPLE.org", "https://example.org/"],
    // A look-alike host shows as what it is.
    ["https://ехample.org/", "https://xn--ample-ywe6i.org/"],
    ["ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3/a.png", "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3/a.png"],
    ["", null],
    [null, null],
  ])("%s is %s", (text, stored) => expect(imageUrl.parse(text)).toBe(stored));

  it.each([
    "http://example.org/a.png",
    "data:image/png;base64,AAAA",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "file:///etc/passwd",
    "https://user:secret@example.org/",
    "https://localhost/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "//example.org/a.png",
    "https://example.org/\u202egnp.exe",
    "java\nscript:alert(1)",
    "ipfs://",
    `https://example.org/${"a".repeat(500)}`,
    5,
  ])("%s is refused", (text) => expect(fits(imageUrl, text)).toBe(false));
});

describe("stated accounts and links", () => {
  it("keeps texts, normalises URLs, drops empty ones", () => {
    expect(statedMap.parse({ x: " @ada ", site: "https://Example.org", note: "Calls: any day", gone: "" })).toEqual({
      x: "@ada",
      site: "https://example.org/",
      note: "Calls: any day",
    });
  });

  it.each([
    { x: "javascript:alert(1)" },
    { x: "data:text/html,hi" },
    { x: "vbscript:x" },
    { x: "https://a:b@example.org" },
    { x: "a\u202eb" },
    { x: "a\0b" },
    { x: "a".repeat(257) },
    { x: 5 },
    { x: { y: "z" } },
    { constructor: "a" },
    { toString: "a" },
    { "a b": "c" },
    { "": "c" },
    { а: "c" },
    ["a"],
    Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`k${i}`, "v"])),
  ])("%j is refused", (value) => expect(fits(statedMap, value)).toBe(false));
});

describe("lists", () => {
  it("have each word once, in whatever case, at most 24", () => {
    expect(wordList.parse(["Solidity", "rust", "SOLIDITY"])).toEqual(["SOLIDITY", "rust"]);
    expect(fits(wordList, Array(24).fill("a"))).toBe(true);
    expect(fits(wordList, Array(25).fill("a"))).toBe(false);
    for (const word of ["", " ", "a".repeat(65), "a\u200bb", 5, null]) expect(fits(wordList, [word])).toBe(false);
  });

  it("of members hold wallets and token ids", () => {
    const wallet = `0x${"aB".repeat(20)}`;
    expect(memberList.parse([0, wallet, wallet.toLowerCase(), 0])).toEqual([0, wallet.toLowerCase()]);
    for (const member of [-1, 1.5, "1", "0x12", "ada", null, {}]) expect(fits(memberList, [member])).toBe(false);
    expect(fits(memberList, Array(101).fill(0))).toBe(false);
  });
});

describe("contact data", () => {
  it("are an e-mail address and a Telegram name, which an empty text clears", () => {
    expect(contactSchema.parse({ email: " ada@example.org ", telegram: "@ada_l" })).toEqual({
      ...{ email: "ada@example.org", telegram: "ada_l" },
    });
    expect(contactSchema.parse({ email: "", telegram: null })).toEqual({ email: null, telegram: null });
    expect(contactSchema.parse({ telegram: "https://t.me/ada_l" })).toEqual({ telegram: "ada_l" });
  });

  it.each([
    { email: "ada" },
    { email: "ada@localhost" },
    { email: "a b@example.org" },
    { email: "<ada@example.org>" },
    { email: "ada@example.org\nBcc: x@example.org" },
    { email: `${"a".repeat(250)}@example.org` },
    { telegram: "a" },
    { telegram: "https://evil.test/ada" },
    { phone: "1" },
    [],
  ])("%j is refused", (value) => expect(fits(contactSchema, value)).toBe(false));
});

describe("slugs", () => {
  it.each(["acme", "ACME", "a1", "1inch", "a-b-c", "0x-labs", "a".repeat(48)])("%s is one", (text) =>
    expect(parseSlug(text)).toEqual({ slug: text.toLowerCase() }),
  );

  it.each([
    ..."a,-acme,acme-,ac--me,ac_me,ac.me,ac me,äcme,аcme,ａcme,ac\u200bme,42,007,__proto__,constructor,Prototype,me,NEW".split(
      ",",
    ),
    "a".repeat(49),
    "",
    // The Kelvin sign lower-cases to k.
    "\u212aelvin",
    `0x${"a".repeat(40)}`,
  ])("%j is none", (text) => expect(parseSlug(text)).toHaveProperty("problem"));

  it("look alike when their keys are equal", () => {
    expect(["acme0", "ACMEO", "acmeo"].map(slugKey)).toEqual(Array(3).fill("acmeo"));
    expect(new Set(["paypal", "paypa1", "paypai"].map(slugKey)).size).toBe(1);
    expect(slugKey("a-b")).not.toBe(slugKey("ab"));
  });

  it.each([
    ["Analytical Engines, Ltd.", "analytical-engines-ltd"],
    ["Évariste & Söhne", "evariste-sohne"],
    ["株式会社", null],
    ["42", null],
    ["Me", null],
    ["A".repeat(64), "a".repeat(42)],
  ])("%s suggests %s", (name, slug) => expect(suggestedSlug(name)).toBe(slug));

  it("whatever a name suggests is a slug, and stays one with an ending", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 64 }), (name) => {
        const slug = suggestedSlug(name);
        if (slug === null) return;
        expect(parseSlug(slug)).toEqual({ slug });
        expect(parseSlug(`${slug}-2a3b4`)).toHaveProperty("slug");
      }),
    ));
});
