/** Rules of social proofs: what shows a needle and what only looks like it, gist contents, names of accounts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_QUOTE, needleOf, proofTrait, quoteOf } from "../../core/agents/social-proofs.ts";
import { parseFarcasterName, parseFid } from "../../core/proof-platforms/farcaster.ts";
import {
  GIST_MAX_BYTES,
  gistFileName,
  gistProof,
  parseGistId,
  parseGithubLogin,
} from "../../core/proof-platforms/github.ts";
import { parseXHandle } from "../../core/proof-platforms/x.ts";
import { forAll } from "../support/for-all.ts";
import { words } from "../support/words.ts";

const needle = needleOf("helixa", 1);
const showsNeedle = (text: string, sought: string) => quoteOf(text, sought) !== null;

describe("the needle", () => {
  it("is the prefix and the token id, 0 as well", () => {
    expect(needle).toBe("helixa:1");
    expect(needleOf("helixa", 0)).toBe("helixa:0");
    expect(gistFileName("helixa")).toBe("helixa-verify.txt");
    expect(proofTrait("x")).toEqual({ name: "x-verified", category: "verification" });
  });

  it.each([
    "helixa:1",
    " helixa:1\n",
    "I run helixa:1.",
    "agent (helixa:1), builder",
    "helixa:12 and helixa:1",
    "helixa:2,helixa:1",
    "🤖helixa:1🤖",
    "«helixa:1»",
    "helixa:1…",
    "helixa:1 - since 2024",
    "ｈｅｌｉｘａ：１",
    "helixa:①",
    "hel\u200bixa:\u20601\ufeff",
    "#helixa:1",
    "我是\nhelixa:1\n代理",
    "helixa:1!",
  ])("is shown by %j", (text) => expect(showsNeedle(text, needle)).toBe(true));

  it.each([
    ...words(`
      helixa helixa:12 helixa:1\u200b2 helixa:1\ufe0f\u20e3 helixa:10 helixa:01 xhelixa:1 éhelixa:1 _helixa:1
      x-helixa:1 my.helixa:1 other:helixa:1 helixa:1_ helixa:1a helixa:1é helixa:1.5 helixa:1-2 helixa:1:2 helixa:1/2
      helixa:1\u0661 helixa:1\u0301 helixa:1² Helixa:1 我helixa:1`),
    "",
    "helixa: 1",
    "hеlixa:1", // a Cyrillic е
  ])("is not shown by %j", (text) => expect(showsNeedle(text, needle)).toBe(false));

  it("never proves another token, whatever stands around it", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const tokenId = fc.nat({ max: 100_000 });
    forAll([text, text, tokenId, tokenId], (before, after, own, other) => {
      fc.pre(own !== other && !`${before}${after}`.normalize("NFKC").includes(":"));
      expect(showsNeedle(`${before} helixa:${own} ${after}`, needleOf("helixa", own))).toBe(true);
      expect(showsNeedle(`${before} helixa:${own} ${after}`, needleOf("helixa", other))).toBe(false);
    });
  });

  it("is not proved by a longer word, on either side", () => {
    const word = fc.stringMatching(/^[\p{L}\p{N}_]{1,5}$/u);
    const joint = fc.constantFrom("", "-", ".", ":", "/", "--", "@");
    forAll([word, joint, fc.nat()], (part, between, tokenId) => {
      // Compatibility forms may dissolve into brackets, which end a word: only what stays a word is one.
      fc.pre(/^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{M}_])+$/u.test(part.normalize("NFKC")));
      const own = needleOf("helixa", tokenId);
      expect(showsNeedle(own + between + part, own)).toBe(false);
      expect(showsNeedle(part + between + own, own)).toBe(false);
    });
  });

  it("is found in long texts, in one pass (a search that looked back from every place would never end)", () => {
    expect(showsNeedle(`${"helixa:1".repeat(20_000)}${"-".repeat(50_000)}`, needle)).toBe(false);
    expect(showsNeedle(`${"-".repeat(50_000)}helixa:1${"-".repeat(50_000)}`, needle)).toBe(true);
  });
});

describe("the words around the needle", () => {
  it.each([
    ["Beware of helixa:1, it takes your money", "Beware of helixa:1, it takes your money"],
    ["Beware of\n\n\thelixa:1", "Beware of helixa:1"],
    ["not\u202e mine: helixa:1", "not mine: helixa:1"],
    [`${"a ".repeat(300)}helixa:1`, `…${"a ".repeat(80)}helixa:1`],
    [`helixa:1 ${"🤖".repeat(300)}`, `helixa:1 ${"🤖".repeat(79)}…`],
  ])("of %j are %j", (text, quote) => expect(quoteOf(text, needle)).toBe(quote));

  it("have an end, whatever stands there, and always the needle", () => {
    const around = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
    );
    forAll([around, around, fc.nat()], (before, after, tokenId) => {
      const own = needleOf("helixa", tokenId);
      const quote = quoteOf(`${before} ${own} ${after}`, own);
      fc.pre(quote !== null);
      expect(quote).toContain(own);
      expect([...quote].length).toBeLessThanOrEqual(MAX_QUOTE);
    });
  });
});

describe("a gist file", () => {
  it.each(["7", " 7\r\n", "\ufeff7", "helixa:7", "\n helixa:7 "])("proves token 7 with %j", (content) =>
    expect(gistProof(content, "helixa", 7)).toMatch(/^(helixa:)?7$/),
  );
  it.each([
    "Verifying my agent: helixa:7\n",
    "2026-11-29, line 3: helixa:7, mine since 2025.",
    "tokenId: 7\n",
    '{"tokenId":7}',
    "Agent #7 is mine.",
  ])("proves with %j", (content) => expect(gistProof(content, "helixa", 7)).toContain("7"));
  it.each([
    "",
    "77",
    "70",
    "helixa:77",
    "token 71",
    "v7",
    "7 8",
    "my agents: 6, 7, 8",
    "7.0",
    "+7",
    "-7",
    "07",
    "HELIXA:7 of 9",
  ])("does not with %j", (content) => expect(gistProof(content, "helixa", 7)).toBeNull());
  it("is at most a kibibyte", () => {
    expect(gistProof("7".padEnd(GIST_MAX_BYTES), "helixa", 7)).toBe("7");
    expect(gistProof("7".padEnd(GIST_MAX_BYTES + 1), "helixa", 7)).toBeNull();
  });
});

describe("names of accounts", () => {
  it.each([
    ["@Jack_9", "Jack_9"],
    [" jack ", "jack"],
    ["a".repeat(15), "a".repeat(15)],
    ["a".repeat(16), null],
    ["@@jack", null],
    ["ja ck", null],
    ["jäck", null],
    ["", null],
    ["@", null],
    ["../users", null],
  ])("X: %j is %j", (text, handle) => expect(parseXHandle(text)).toBe(handle));

  it.each([
    ["octocat", "octocat"],
    ["@octo-cat", "octo-cat"],
    ["old-", "old-"],
    ["a".repeat(39), "a".repeat(39)],
    ["a".repeat(40), null],
    ["-octo", null],
    ["octo--cat", null],
    ["octo_cat", null],
    ["octo/cat", null],
    ["", null],
  ])("GitHub: %j is %j", (text, login) => expect(parseGithubLogin(text)).toBe(login));

  it.each([
    ["aa5a315d61ae9438b18d", "aa5a315d61ae9438b18d"],
    ["https://gist.github.com/octocat/aa5a315d61ae9438b18d", "aa5a315d61ae9438b18d"],
    ["https://gist.github.com/aa5a315d61ae9438b18d#file-x", "aa5a315d61ae9438b18d"],
    ["https://gist.github.com/octocat/aa5a315d61ae9438b18d/raw?x=1", "aa5a315d61ae9438b18d"],
    ["http://gist.github.com/octocat/aa5a", null],
    ["https://gist.github.com.evil.example/aa5a", null],
    ["https://evil.example/octocat/aa5a", null],
    ["../user", null],
    ["aa5a?x", "aa5a"],
    ["", null],
  ])("gist: %j is %j", (text, id) => expect(parseGistId(text)).toBe(id));

  it.each([
    ["dwr", "dwr"],
    ["@DWR", "dwr"],
    ["dwr.eth", "dwr.eth"],
    ["my.base.eth", "my.base.eth"],
    ["a".repeat(17), null],
    ["-dwr", null],
    ["dwr.com", null],
    [".eth", null],
    ["", null],
  ])("Farcaster: %j is %j", (text, name) => expect(parseFarcasterName(text)).toBe(name));

  it.each([
    [3, 3],
    ["3", 3],
    [0, null],
    ["03", null],
    [-1, null],
    [1.5, null],
    ["1e3", null],
    [Number.MAX_SAFE_INTEGER, null],
  ])("fid: %j is %j", (value, fid) => expect(parseFid(value)).toBe(fid));
});
