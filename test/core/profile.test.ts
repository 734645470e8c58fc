/** The merged profile: field by field, the newest write wins; and what may be written. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentFacts } from "../../core/agents/facts.ts";
import { listingOf } from "../../core/agents/listing.ts";
import { listingShape } from "../../core/agents/listing-input.ts";
import { mergeNarrative, mergeProfile, NARRATIVE_FIELDS } from "../../core/agents/profile.ts";
import { fieldWrites, narrativeSchema, personalitySchema } from "../../core/agents/profile-input.ts";
import type { Json } from "../../core/json.ts";
import { forAll } from "../support/for-all.ts";

type ProfileFacts = Parameters<typeof mergeProfile>[0];
const nothing: ProfileFacts = {
  onchainPersonality: null,
  personalityAt: null,
  onchainNarrative: null,
  narrativeAt: null,
  profile: [],
};
const chainSeconds = 1_800_000_000;
const at = (offsetMs: number) => new Date(chainSeconds * 1000 + offsetMs).toISOString();
const write = (field: string, value: Json, offsetMs = 0): AgentFacts["profile"][number] => ({
  ...{ field, value, writtenAt: at(offsetMs) },
});
const onchainNarrative = { origin: "chain", mission: "chain", lore: "", manifesto: "" };

describe("a field", () => {
  const origin = (
    offsetMs: number,
    value = "off chain",
    narrativeAt: ProfileFacts["narrativeAt"] = { origin: chainSeconds },
  ) =>
    mergeNarrative({ ...nothing, onchainNarrative, narrativeAt, profile: [write("narrative.origin", value, offsetMs)] })
      .origin;

  it("is the newest write, the off-chain one at equal times", () => {
    expect(origin(1)).toBe("off chain");
    expect(origin(0)).toBe("off chain");
    expect(origin(-1)).toBe("chain");
  });

  it("is cleared by an empty string, as long as that is the newest", () => {
    expect(origin(1, "")).toBe("");
    expect(origin(-1, "")).toBe("chain");
  });

  it("stays off chain while the chain has only spoken of others", () => {
    expect(origin(-1, "off chain", { mission: chainSeconds })).toBe("off chain");
    expect(origin(-1, "off chain", null)).toBe("off chain");
  });

  it("does not depend on the others", () => {
    const time = fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined });
    const side = fc.record({ chain: time, off: time });
    forAll([fc.record({ origin: side, mission: side, lore: side, manifesto: side })], (sides) => {
      const narrativeAt = Object.fromEntries(
        NARRATIVE_FIELDS.flatMap((f) => (sides[f].chain === undefined ? [] : [[f, chainSeconds + sides[f].chain]])),
      );
      const profile = NARRATIVE_FIELDS.flatMap((f) =>
        sides[f].off === undefined ? [] : [write(`narrative.${f}`, `off ${f}`, sides[f].off * 1000)],
      );
      const chain = Object.fromEntries(NARRATIVE_FIELDS.map((f) => [f, `chain ${f}`])) as typeof onchainNarrative;
      const merged = mergeNarrative({ ...nothing, onchainNarrative: chain, narrativeAt, profile });
      for (const f of NARRATIVE_FIELDS) {
        const { chain, off } = sides[f];
        const offWins = off !== undefined && off >= (chain ?? Number.NEGATIVE_INFINITY);
        expect(merged[f]).toBe(offWins ? `off ${f}` : `chain ${f}`);
      }
    });
  });
});

describe("a profile", () => {
  it("of nothing is null, part by part", () => {
    expect(mergeProfile(nothing)).toEqual({ personality: null, narrative: null, socials: {} });
    const cleared = [write("personality.humor", ""), write("narrative.lore", " "), write("social.github", "")];
    expect(mergeProfile({ ...nothing, profile: cleared })).toEqual({ personality: null, narrative: null, socials: {} });
  });

  it("tells a level of 0 from one never given", () => {
    const merged = mergeProfile({ ...nothing, profile: [write("personality.riskTolerance", 0)] });
    expect(merged.personality).toEqual({
      ...{ quirks: "", communicationStyle: "", values: "", humor: "", riskTolerance: 0, autonomyLevel: null },
    });
  });

  it("overlays single fields of an on-chain personality and clears a level with an empty string", () => {
    const onchainPersonality = {
      ...{ quirks: "q", communicationStyle: "c", values: "v", humor: "h", riskTolerance: 3, autonomyLevel: 4 },
    };
    const profile = [write("personality.humor", "dry", 1), write("personality.autonomyLevel", "", 1)];
    const merged = mergeProfile({ ...nothing, onchainPersonality, personalityAt: chainSeconds, profile });
    expect(merged.personality).toEqual({ ...onchainPersonality, humor: "dry", autonomyLevel: null });
  });

  it("shows its socials", () => {
    const profile = [write("social.twitter", "bendr"), write("social.website", "https://example.org")];
    expect(mergeProfile({ ...nothing, profile }).socials).toEqual({ twitter: "bendr", website: "https://example.org" });
  });
});

describe("input", () => {
  const accepts = (schema: typeof personalitySchema | typeof narrativeSchema, input: unknown) =>
    schema.safeParse(input).success;

  it.each([
    ["quirks", 256],
    ["communicationStyle", 256],
    ["values", 256],
    ["humor", 256],
  ])("%s holds %d code points", (field, max) => {
    expect(accepts(personalitySchema, { [field]: "é".repeat(max) })).toBe(true);
    expect(accepts(personalitySchema, { [field]: "🤖".repeat(max) })).toBe(true);
    expect(accepts(personalitySchema, { [field]: "é".repeat(max + 1) })).toBe(false);
  });

  it.each([
    ["origin", 512],
    ["mission", 512],
    ["lore", 1024],
    ["manifesto", 1024],
  ])("%s holds %d code points", (field, max) => {
    expect(accepts(narrativeSchema, { [field]: `  ${"a".repeat(max)}\n` })).toBe(true);
    expect(accepts(narrativeSchema, { [field]: "a".repeat(max + 1) })).toBe(false);
    expect(accepts(narrativeSchema, { [field]: null })).toBe(false);
  });

  it.each([-1, 11, 0.5, "5", null, Number.NaN, Number.POSITIVE_INFINITY])("refuses the level %s", (level) => {
    expect(accepts(personalitySchema, { riskTolerance: level })).toBe(false);
    expect(accepts(personalitySchema, { autonomyLevel: level })).toBe(false);
  });

  it("takes the levels 0 to 10 as they are", () => {
    for (let level = 0; level <= 10; level++)
      expect(personalitySchema.parse({ riskTolerance: level })).toEqual({ riskTolerance: level });
  });

  it("refuses keys it does not know, __proto__ among them", () => {
    for (const body of ['{"mood":"x"}', '{"__proto__":{"a":1}}', '{"constructor":1}']) {
      expect(accepts(personalitySchema, JSON.parse(body))).toBe(false);
      expect(accepts(narrativeSchema, JSON.parse(body))).toBe(false);
    }
  });

  it("becomes one write per field given, empty strings and zeros included", () => {
    const writes = fieldWrites({
      personality: { riskTolerance: 0, humor: "" },
      narrative: { manifesto: "m", origin: "o" },
    });
    expect(writes).toEqual([
      { field: "personality.humor", value: "" },
      { field: "personality.riskTolerance", value: 0 },
      { field: "narrative.origin", value: "o" },
      { field: "narrative.manifesto", value: "m" },
    ]);
    expect(fieldWrites({})).toEqual([]);
  });
});

describe("a listing", () => {
  const schema = z.strictObject(listingShape);
  const problem = (input: unknown) => {
    const { error } = schema.safeParse(input);
    return error && `${error.issues[0]!.path.join(".")} ${error.issues[0]!.message}`;
  };

  it.each([
    [{ web: "https://a.example" }, { web: { url: "https://a.example" } }],
    [{ web: " HTTPS://A.example/b c " }, { web: { url: "https://a.example/b%20c" } }],
    [{ web: "https://good.example\\@bad.example/" }, { web: { url: "https://good.example/@bad.example/" } }],
    [{ mcp: { url: "http://127.0.0.1:8080/mcp", tools: ["a", "b"] } }, undefined],
    [{ did: { id: "did:web:a.example" }, email: { address: "a@b.example" }, ens: { name: "a.eth" } }, undefined],
    [
      { a: "", b: null, c: {}, d: { url: "" }, e: { url: "https://a.example", note: "" } },
      { e: { url: "https://a.example" } },
    ],
    [Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`s${i}`, { handle: "h" }])), undefined],
  ])("of services %j is stored as an object by name", (services, stored = services as never) => {
    expect(schema.parse({ services })).toEqual({ services: stored });
  });

  it("takes no name for a prototype's, at any depth", () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const inside = JSON.parse(`{"a":[{"${key}":{"polluted":true}}]}`);
      expect(problem({ metadata: inside })).toBe(`metadata.a.0.${key} is a reserved name`);
      expect(problem({ services: { web: inside } })).toBe(`services.web.a.0.${key} is a reserved name`);
      expect(problem({ metadata: JSON.parse(`{"${key}":1}`) })).toBe(`metadata.${key} is a reserved name`);
    }
    for (const name of ["__proto__", "constructor", "toString", "valueOf"])
      expect(problem({ services: JSON.parse(`{"${name}":"https://a.example"}`) })).toMatch(/must be named by/);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("is bounded in bytes and in depth, to the last one", () => {
    const bytes = (n: number) => ({ metadata: { a: "x".repeat(n - '{"a":""}'.length) } });
    expect(problem(bytes(8192))).toBeUndefined();
    expect(problem(bytes(8193))).toBe("metadata must have at most 8192 bytes as JSON");
    const deep = (levels: number): Json => (levels === 1 ? {} : [deep(levels - 1)]);
    expect(problem({ metadata: { a: deep(7) } })).toBeUndefined();
    expect(problem({ metadata: { a: deep(8) } })).toBe(
      "metadata.a.0.0.0.0.0.0.0 must not be nested deeper than 8 levels",
    );
    expect(problem({ skills: Array(24).fill("🤖".repeat(64)) })).toBeUndefined();
  });

  it("shows what it stores, and the same again changes nothing", () => {
    const text = fc.oneof(
      fc.constantFrom("https://a.example", "javascript:1", " ", "e\u0301", "a\u202eb", "__proto__", "url"),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    );
    const key = fc.constantFrom("a", " b ", "e\u0301", "a\u202eb", "prototype", "acceptedPayments");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constantFrom(null, true, 0, -1.5),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(key, tie("value"), { maxKeys: 2 }),
      ),
    }));
    const words = fc.array(text, { maxLength: 3 });
    const service = fc.oneof(text, fc.record({ url: text, tools: words, more: value }, { requiredKeys: [] }));
    const input = fc.record(
      {
        services: fc.dictionary(fc.constantFrom("web", "mcp", "A2A", "x.y", "__proto__", "a b"), service, {
          maxKeys: 2,
        }),
        skills: words,
        domains: words,
        metadata: fc.dictionary(key, value, { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    );
    let accepted = 0;
    forAll([input], { seed: 7_2026, numRuns: 1000 }, (given) => {
      const read = schema.safeParse(given);
      if (!read.success) return;
      accepted++;
      const profile = fieldWrites(read.data).map(({ field, value }) => write(field, value));
      const shown = listingOf({ profile });
      expect(shown).toEqual({ services: {}, skills: [], domains: [], metadata: {}, ...read.data });
      expect(schema.parse(JSON.parse(JSON.stringify(shown)))).toEqual(shown);
      expect(JSON.stringify([shown.services, shown.metadata])).not.toMatch(/"javascript:|\u202e/i);
      for (const service of Object.values(shown.services))
        if (service.url !== undefined) expect(service.url).toMatch(/^https?:\/\//i);
    });
    expect(accepted).toBeGreaterThan(50);
  });
});
