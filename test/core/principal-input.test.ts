/** What people may write about themselves: links, lists, contact data, slugs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { ignoredIn, lenientObject } from "../../core/ignored.ts";
import {
  contactSchema,
  imageUrl,
  memberList,
  statedMap,
  statedObject,
  statedObjectOrList,
  statedServices,
  wordList,
} from "../../core/principals/input.ts";
import { parseSlug, slugKey, suggestedSlug } from "../../core/principals/slugs.ts";
import { textSchema } from "../../core/text.ts";
import { forAll } from "../support/for-all.ts";

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
    [],
  ])("%j is refused", (value) => expect(fits(contactSchema, value)).toBe(false));
});

describe("services of a human", () => {
  it("are texts, URLs and objects by name; a text alone is one of them", () => {
    const read = (value: unknown) => statedServices.parse(value);
    expect(read({ web: { url: "https://ada.example", price: 5 }, note: " Any day ", x: null, y: "", z: {} })).toEqual({
      ...{ web: { url: "https://ada.example", price: 5 }, note: "Any day" },
    });
    expect(read({ site: "https://Ada.example", file: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3" })).toEqual({
      ...{ site: "https://ada.example/", file: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3" },
    });
    expect(["https://ada.example", "Audits", " ", null].map(read)).toEqual([
      { web: "https://ada.example/" },
      { about: "Audits" },
      {},
      {},
    ]);
  });

  it.each([
    [[]],
    [5],
    [true],
    [{ web: 5 }],
    [{ web: ["https://ada.example"] }],
    [{ web: "javascript:alert(1)" }],
    [{ web: { url: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3" } }],
    [{ web: { link: "javascript:alert(1)" } }],
    [{ constructor: "a" }],
    [{ "": "a" }],
    ["data:text/html,hi"],
    [Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`k${i}`, "v"]))],
  ])("%j is refused", (value) => expect(fits(statedServices, value)).toBe(false));
});

describe("what is stated in whatever form", () => {
  const ids = statedObjectOrList("Ids");

  it("is kept as given, null is nothing", () => {
    const value = { ens: "ada.eth", fid: 7, share: 0.25, list: [true, null, { a: "b\nc" }] };
    expect([statedObject.parse(value), ids.parse(value), ids.parse(["a", 1])]).toEqual([value, value, ["a", 1]]);
    expect([statedObject.parse(null), ids.parse(null)]).toEqual([{}, {}]);
  });

  it("is bounded in bytes, in depth and in the length of its numbers", () => {
    const text = (length: number) => "x".repeat(length - '{"a":""}'.length);
    for (const [schema, bytes] of [
      [statedObject, 4_096],
      [ids, 2_048],
      [statedServices, 4_096],
    ] as const) {
      const filled = (more: number) =>
        schema === statedServices ? { a: { a: text(bytes - '{"a":}'.length + more) } } : { a: text(bytes + more) };
      expect([fits(schema, filled(0)), fits(schema, filled(1))]).toEqual([true, false]);
    }
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect([8, 9].map((levels) => fits(statedObject, nested(levels)))).toEqual([true, false]);
    // The database writes numbers out in full.
    for (const number of [1e21, -1e300, 1e-7, 5e-324]) expect(fits(statedObject, { number })).toBe(false);
    for (const number of [0, -1.5, 1e-6, 9007199254740991]) expect(fits(statedObject, { number })).toBe(true);
  });

  it.each([
    ["x"],
    [5],
    [true],
    [{ constructor: 1 }],
    [{ a: { prototype: 1 } }],
    [{ a: "javascript:alert(1)" }],
    [{ "a\u202e": 1 }],
  ])("%j is refused", (value) => expect([fits(statedObject, value), fits(ids, value)]).toEqual([false, false]));
});

describe("fields that are not read", () => {
  const body = lenientObject({
    known: textSchema({ max: 8 }).optional(),
    inner: lenientObject({ kept: statedServices.optional() }).optional(),
  });

  it("are named by their paths, and nothing of them is in the body", () => {
    const parsed = body.parse({ known: "a", other: 1, inner: { kept: {}, constructor: 2 }, toString: { a: 1 } });
    expect(JSON.stringify(parsed)).toBe('{"known":"a","inner":{"kept":{}}}');
    expect(Object.keys({ ...parsed })).toEqual(["known", "inner"]);
    expect(ignoredIn(parsed)).toEqual(["other", "toString", "inner.constructor"]);
    expect(ignoredIn(body.parse({}))).toEqual([]);
  });

  it("are named within bounds, whatever is sent", () => {
    // A body with the key __proto__ is refused before.
    const key = fc.string({ unit: "binary", maxLength: 90 }).filter((name) => name !== "__proto__");
    forAll([fc.dictionary(key, fc.constantFrom(1, null, {}, [[]]), { maxKeys: 40 })], { numRuns: 60 }, (fields) => {
      const { known: _, inner: __, ...unknown } = fields;
      const ignored = ignoredIn(body.parse(unknown));
      expect(ignored).toHaveLength(Math.min(20, Object.keys(unknown).length));
      for (const name of ignored) {
        expect(name.length).toBeLessThanOrEqual(64);
        expect(name.isWellFormed()).toBe(true);
      }
    });
  });
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
    forAll([fc.string({ unit: "grapheme", maxLength: 64 })], (name) => {
      const slug = suggestedSlug(name);
      if (slug === null) return;
      expect(parseSlug(slug)).toEqual({ slug });
      expect(parseSlug(`${slug}-2a3b4`)).toHaveProperty("slug");
    }));
});
