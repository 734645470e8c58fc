/** What the tools cost a model: the list of them, and the largest answer that each can give in short. */
import { describe, expect, it } from "vitest";
import { type Json, toJsonSchema } from "../../api/json-schema.ts";
import { toolDescriptions } from "../../api/routes/mcp.ts";
import { shortened } from "../../api/tools/short-form.ts";
import { TOOLS, type Tool } from "../../api/tools/tools.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { MAX_QUERY_LENGTH } from "../../core/discovery/query.ts";
import { MAX_SHORT_BYTES, NOTE, understoodInWords } from "../../core/views/found-in-short.ts";

type Schema = Json & { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[]; $defs?: Json };

const schemaOf = ({ endpoint }: Tool): Schema => toJsonSchema(endpoint.responses[200]!.schema!, "output");
const resolved = (schema: Schema, root: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolved(root.$defs![(schema.$ref as string).replace("#/$defs/", "")] as Schema, root);

const WORDS = "words of a stranger ".repeat(100);
const MANY = 40;
const longest = (values: unknown[]) =>
  values.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0];

/** A value of a schema with as many characters as its writer can give it. */
function largest(given: Schema, root: Schema): unknown {
  const schema = resolved(given, root);
  const options = schema.anyOf ?? (schema.oneOf as Schema[] | undefined);
  if (options) return longest(options.map((option) => largest(option, root)));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return longest(schema.enum as unknown[]);
  if (schema.type === "array")
    return Array.from({ length: (schema.maxItems as number | undefined) ?? MANY }, () => largest(schema.items!, root));
  if (schema.type === "integer" || schema.type === "number") return schema.maximum ?? 123_456_789_012;
  if (schema.type === "boolean") return false;
  if (schema.type === "null") return null;
  if (schema.type === "object") {
    const more = schema.additionalProperties;
    return Object.fromEntries([
      ...Object.entries(schema.properties ?? {}).map(([name, property]) => [name, largest(property, root)]),
      ...(more && typeof more === "object" && !schema.properties
        ? Array.from({ length: MANY }, (_, i) => [`${"k".repeat(32)}${i}`, largest(more as Schema, root)])
        : []),
    ]);
  }
  if (schema.format === "date-time") return "2026-05-01T12:00:00.000Z";
  const digits = /0x\[[^\]]+\]\{(\d+)\}/.exec(String(schema.pattern))?.[1];
  return digits === undefined ? WORDS : `0x${"a".repeat(Number(digits))}`;
}

/** The largest answer of a tool with so many rows. */
function largestAnswer(tool: Tool, rows: number): Record<string, unknown> {
  const root = schemaOf(tool);
  const answer = largest(root, root) as Record<string, unknown>;
  const name = tool.short?.rows;
  return name === undefined ? answer : { ...answer, [name]: (answer[name] as unknown[]).slice(0, rows) };
}

const SHORT = TOOLS.filter((tool) => tool.short !== undefined);
const byName = (tools: readonly Tool[]) => tools.map((tool) => [tool.name, tool] as const);

it("the list of tools has at most 12,000 characters, and says of each when to use it", () => {
  const tools = toolDescriptions();
  expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(12_000);
  for (const { description } of tools) expect(description).toMatch(/^Use this [^.]+\.$/);
});

it("what find_agents answers has at most 6,000 characters", () => {
  const { limit } = TOOLS.find(({ name }) => name === "find_agents")!;
  const understood = understoodInWords({
    ...{ words: ["w".repeat(MAX_QUERY_LENGTH)], filters: { speaks: [...PROTOCOLS], maxPrice: 0.000001 } },
    ...{ corrected: Array.from({ length: 4 }, () => ({ from: "x".repeat(30), to: "y" })), meaning: "unavailable" },
  });
  expect(limit! * MAX_SHORT_BYTES + NOTE.length + understood.length + 100).toBeLessThanOrEqual(6_000);
});

describe("an answer in short", () => {
  it.each(byName(SHORT))("of %s has at most 6,000 characters, whatever strangers wrote", (_, tool) => {
    const whole = largestAnswer(tool, tool.limit ?? MANY);
    const { short, isCut } = shortened(whole, tool.short!, 1);
    expect(JSON.stringify(short).length).toBeLessThanOrEqual(6_000);
    expect(isCut).toBe(JSON.stringify(whole).includes(WORDS));
    const { rows } = tool.short!;
    if (rows !== undefined) expect(short[rows]).toHaveLength((whole[rows] as unknown[]).length);
    if (typeof whole.nextCursor === "string") expect(short.nextCursor).toBe(whole.nextCursor);
  });

  it.each(byName(SHORT))("of %s has members that its endpoint answers", (_, tool) => {
    const root = schemaOf(tool);
    for (const path of tool.short!.members ?? []) {
      let at = [root];
      for (const name of path.split(".")) {
        const below = (schema: Schema): Schema[] => {
          const one = resolved(schema, root);
          return [one, ...[...(one.anyOf ?? []), ...(one.items ? [one.items] : [])].flatMap(below)];
        };
        at = at.flatMap(below).flatMap(({ properties }) => (properties?.[name] ? [properties[name]] : []));
      }
      expect([path, at.length > 0]).toEqual([path, true]);
    }
  });

  const forms: [what: string, answer: object, form: Tool["short"], short: object, isCut: boolean][] = [
    [
      "leaves out what is not known or empty",
      { a: null, b: "", c: [], d: {}, e: 0, f: false },
      {},
      { e: 0, f: false },
      false,
    ],
    ["keeps an empty list of rows", { rows: [], n: 0 }, { rows: "rows" }, { rows: [], n: 0 }, false],
    [
      "keeps chosen members, of lists too",
      { a: { b: 1, c: 2 }, d: [{ e: 1, f: 2 }] },
      { members: ["a.b", "d.e"] },
      { a: { b: 1 }, d: [{ e: 1 }] },
      false,
    ],
    [
      "keeps what is below a chosen member",
      { a: { b: { c: 1 } }, d: 2 },
      { members: ["a"] },
      { a: { b: { c: 1 } } },
      false,
    ],
    ["cuts a text between characters", { a: `${"x".repeat(238)}😀y` }, {}, { a: `${"x".repeat(238)}…` }, true],
    ["leaves out an address that is too long", { a: `https://a.test/${"x".repeat(300)}`, b: 1 }, {}, { b: 1 }, true],
    [
      "cuts a list",
      { a: Array.from({ length: 13 }, (_, i) => i) },
      {},
      { a: Array.from({ length: 12 }, (_, i) => i) },
      true,
    ],
    [
      "cuts an object of any keys",
      { a: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`k${i}`, i])) },
      {},
      { a: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, i])) },
      true,
    ],
    ["keeps a cursor", { nextCursor: "c".repeat(300) }, {}, { nextCursor: "c".repeat(300) }, false],
  ];
  it.each(forms)("%s", (_, answer, form, short, isCut) => {
    expect(shortened(answer as Record<string, unknown>, form!, 1)).toEqual({ short, isCut });
  });

  it("has room for as many rows as are asked for", () => {
    const rows = Array.from({ length: 100 }, () => ({ text: "x".repeat(200) }));
    expect(shortened({ rows }, { rows: "rows" }, 10)).toEqual({ short: { rows }, isCut: false });
    expect(shortened({ rows }, { rows: "rows" }, 1).isCut).toBe(true);
  });
});
