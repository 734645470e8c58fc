/** Traits people give: what is reserved however it is spelt, what is new, what is too much; and tokens and accounts beside them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentFacts, Trait } from "../../core/agents/facts.ts";
import { mergeProfile } from "../../core/agents/profile.ts";
import { socialSchema } from "../../core/agents/social-input.ts";
import { linkTokenSchema } from "../../core/agents/token-input.ts";
import {
  isReservedName,
  newTraits,
  reservedCategory,
  TRAITS_PER_AGENT,
  traitInputSchema,
  traitsInputSchema,
} from "../../core/agents/trait-input.ts";
import { credOf } from "../../core/cred/cred.ts";
import { ownEntry } from "../../core/directory/own-entry.ts";
import { addressOf, randomAgent, randomListed } from "../support/agents.ts";
import { forAll } from "../support/for-all.ts";
import { words } from "../support/words.ts";

describe("reserved words", () => {
  it.each([
    "verification",
    "Verification",
    "BADGE",
    " badge ",
    "bаdge", // Cyrillic а
    "ЬadgE",
    "ｂａｄｇｅ",
    "𝐛𝐚𝐝𝐠𝐞",
    "b\u200badge",
    "b\u0301adge",
    "b-a-d-g-e",
    "vеrificаtiоn",
    "verif1cation",
    "ⅴerification",
    "νerıfıcatıon",
    "VERIFICATI0N",
  ])("category %s", (category) => expect(reservedCategory(category)).not.toBeNull());

  it.each([
    ...words(`
      x-verified X-Verified github-verified x\u2010verified x—verified x_verified x-vеrified x-verif\u200bied
      x-vérified verified linked-token linked-token-symbol Linked-Token linked_token lіnked-token 1inked-token
      linked\u00adtoken ＬＩＮＫＥＤ-token`),
    "x verified",
  ])("name %s", (name) => expect(isReservedName(name)).toBe(true));

  it.each(["verified-ish", "patient", "unverifiable", "token", "linked", "bridge", "Ζεύς", "верный", "验证", "🤖"])(
    "not name %s",
    (name) => expect(isReservedName(name)).toBe(false),
  );
  it.each(["character", "skill", "badges of honour", "verifier", "навык", "技能"])("not category %s", (category) =>
    expect(reservedCategory(category)).toBeNull(),
  );

  it("are refused with the reason and the word to use instead", () => {
    const messageOf = (category: string) =>
      traitInputSchema.safeParse({ name: "x", category }).error?.issues[0]?.message;
    expect(messageOf("badge")).toBe(
      'is reserved for what the service awards; use "achievement" for one of the agent\'s own',
    );
    expect(messageOf("BАDGE")).toBe(messageOf("badge"));
    expect(messageOf("verification")).toBe(
      'is reserved for what the service has verified; use "claim" for what the agent states',
    );
    for (const category of ["achievement", "claim"]) expect(messageOf(category)).toBeUndefined();
  });

  it("are refused by the schema with the field's name", () => {
    for (const [trait, path] of [
      [{ name: "x-verified", category: "fun" }, "name"],
      [{ name: "x", category: "Badge" }, "category"],
    ] as const)
      expect(traitInputSchema.safeParse(trait).error?.issues[0]?.path).toEqual([path]);
    expect(traitInputSchema.parse({ name: " kind " })).toEqual({ name: "kind", category: "general" });
    expect(traitsInputSchema.safeParse([{ name: "Kind" }, { name: "kind" }]).success).toBe(false);
  });
});

describe("new traits", () => {
  const trait = (name: string, category = "c"): Trait => ({ name, category, addedAt: "2026-01-01T00:00:00.000Z" });

  it("are those the agent has not; the linked token's storage is none of its traits", () => {
    const present = [trait("kind"), trait("linked-token", "0x")];
    expect(newTraits(present, [trait("Kind"), trait("wise")]).map(({ name }) => name)).toEqual(["wise"]);
    expect(() => newTraits(present, [trait("kind", "other")])).toThrow("already");
  });

  it("stop at the greatest number, and repetitions never count", () => {
    const many = Array.from({ length: TRAITS_PER_AGENT }, (_, i) => trait(`t${i}`));
    expect(newTraits(many, [trait("t0")])).toEqual([]);
    expect(() => newTraits(many, [trait("one more")])).toThrow("at most");
    expect(newTraits(many.slice(1), [trait("one more")])).toHaveLength(1);
  });
});

describe("nobody is verified by a name", () => {
  const now = new Date("2026-06-01T00:00:00Z");
  const word = fc.oneof(
    fc.constantFrom("verification", "badge", "x-verified", "coinbase", "siwa", "V1 OG", "exchange", "attestation"),
    fc.string(),
  );

  it("whatever traits, categories, names and frameworks an agent has", () =>
    forAll(
      [randomAgent(1, now), fc.array(fc.record({ name: word, category: word }), { maxLength: 12 }), word, word],
      { seed: 20_260_601, numRuns: 500 },
      ({ facts }, traits, name, framework) => {
        const named: AgentFacts = {
          ...facts,
          name,
          framework,
          traits: [...facts.traits, ...traits.map((trait) => ({ ...trait, addedAt: now.toISOString() }))],
          profile: [
            ...facts.profile,
            { field: "social.twitter", value: name, writtenAt: now.toISOString() },
            { field: "personality.values", value: framework, writtenAt: now.toISOString() },
          ],
        };
        const [before, after] = [credOf(facts, now), credOf(named, now)];
        for (const key of ["verify", "coinbase", "origin", "soulbound", "age", "activity"] as const)
          expect(after.raw[key]).toBe(before.raw[key]);
      },
    ));
});

describe("nothing is scored by being listed", () => {
  const now = new Date("2026-06-01T00:00:00Z");

  it("whatever services, skills, domains and metadata an agent has", () => {
    const registry = { contract: addressOf(9), chainId: 8453 };
    forAll(
      [randomAgent(1, now), fc.array(randomListed(fc.constant(now.toISOString())), { minLength: 1, maxLength: 6 })],
      { seed: 20_260_602, numRuns: 300 },
      ({ facts }, listed) => {
        const others = facts.profile.filter(({ field }) => field.includes("."));
        const [bare, full] = [others, [...others, ...listed]].map((profile) => ({ ...facts, profile }));
        expect(credOf(full!, now)).toEqual(credOf(bare!, now));
        expect(mergeProfile(full!)).toEqual(mergeProfile(bare!));
        expect(ownEntry(full!, registry, now)).toEqual(ownEntry(bare!, registry, now));
      },
    );
  });
});

describe("accounts", () => {
  it.each([
    [{ twitter: "@jack" }, { twitter: "jack" }],
    [{ twitter: "https://x.com/jack/" }, { twitter: "jack" }],
    [{ twitter: "https://www.twitter.com/jack" }, { twitter: "jack" }],
    [{ github: "https://github.com/octo-cat" }, { github: "octo-cat" }],
    [{ github: "octo-cat/Hello.World_1-x" }, { github: "octo-cat/Hello.World_1-x" }],
    [{ github: "https://github.com/octo-cat/hello-world" }, { github: "octo-cat/hello-world" }],
    [{ website: "HTTPS://Example.ORG" }, { website: "https://example.org/" }],
    [
      { website: "", twitter: "", github: " " },
      { website: "", twitter: "", github: "" },
    ],
  ])("%j is %j", (given, stored) => expect(socialSchema.parse(given)).toEqual(stored));

  it.each([
    { twitter: "a b" },
    { twitter: "https://x.com/jack/status/1" },
    { twitter: "https://evil.example/jack" },
    { twitter: "https://x.com.evil.example/jack" },
    { github: "-octo" },
    { github: "octo/" },
    { github: "octo/.." },
    { github: "-octo/repository" },
    { github: "octo/a/b" },
    { github: "octo/a b" },
    { github: `octo/${"x".repeat(101)}` },
    { github: "https://github.com/octo/repository/issues" },
    { github: "https://evil.example/octo/repository" },
    { twitter: "jack/status" },
    { website: "ftp://example.org" },
    { website: "https://user@example.org" },
    { website: "http://localhost/" },
    { website: "http://127.0.0.1/" },
    { website: "http://[::1]/" },
    { website: "not a url" },
    { website: `https://example.org/${"x".repeat(300)}` },
    { facebook: "x" },
  ])("%j is refused", (given) => expect(socialSchema.safeParse(given).success).toBe(false));
});

describe("a linked token", () => {
  it("is known by the form of its address on each chain", () => {
    const token = { symbol: "TKN" };
    const sol = "So11111111111111111111111111111111111111112";
    expect(linkTokenSchema.parse({ ...token, contractAddress: sol, chain: "SOLANA" })).toMatchObject({
      contractAddress: sol,
    });
    expect(
      linkTokenSchema.parse({ ...token, contractAddress: "11111111111111111111111111111111", chain: "solana" }),
    ).toBeTruthy();
    expect(
      linkTokenSchema.parse({ ...token, contractAddress: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" }),
    ).toMatchObject({ contractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chain: "base" });
    for (const contractAddress of ["", "0x", "0X833589fcd6edb6e08f4c7c32d4f71b54bda02913z", sol])
      expect(linkTokenSchema.safeParse({ ...token, contractAddress }).success).toBe(false);
  });
});
