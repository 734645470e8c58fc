/** How an offer is called, as text: whatever a stranger calls it, a shell takes it for one word. */
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, shellWord } from "../../core/offers/calls.ts";

const offer = (kind: "tool" | "skill" | "resource", more: object = {}) => ({
  ...{ kind, name: "audit", endpoint: "https://a.example/x?q=1", method: null },
  ...more,
});

describe("a call", () => {
  it("of a tool is an entry of a client's settings, and a request that calls it", () => {
    const [settings, shell] = callsOf(offer("tool"), "Ferrous & Söhne");
    expect(JSON.parse(settings!.text)).toEqual({
      mcpServers: { "ferrous-s-hne": { type: "http", url: "https://a.example/x?q=1" } },
    });
    expect(shell!.text).toContain(`-d '{"jsonrpc":"2.0","id":1,"method":"tools/call"`);
  });

  const source = { type: "object", properties: { source: { type: "string" } }, required: ["source"] };
  it.each([
    ["the example of its terms", { ...source, examples: [{ source: "it's $HOME" }] }, { source: "it's $HOME" }],
    ["what is required, by name", source, { source: "<source>" }],
    ["nothing where nothing is required", { ...source, required: [] }, null],
    ["nothing where the schema is none", "source", null],
  ])("of a paid resource has as its input %s, in the query or in the body", (_, inputSchema, input) => {
    const query = input ? `&${new URLSearchParams(input)}` : "";
    const [shell, program] = callsOf(offer("resource", { inputSchema, priceUsd: 0.04 }), "a");
    expect(shell!.text).toBe(`curl -sS -i 'https://a.example/x?q=1${query}'`);
    expect(program!.text).toContain(`await pay("https://a.example/x?q=1${query}");`);
    expect(program!.text).toContain('maxAmountPerPayment: "$0.04"');
    const [posted, pays] = callsOf(offer("resource", { method: "POST", inputSchema, priceUsd: 5e-7 }), "a");
    expect(posted!.text).toContain("curl -sS -i -X POST 'https://a.example/x?q=1'");
    expect(posted!.text.includes(`-d ${shellWord(JSON.stringify(input))}`)).toBe(input !== null);
    expect(pays!.text.includes(JSON.stringify(JSON.stringify(input)))).toBe(input !== null);
    expect(pays!.text).toContain('maxAmountPerPayment: "$0.0000005"');
    const [, called] = callsOf(offer("tool", { inputSchema }), "a");
    expect(called!.text).toContain(shellWord(JSON.stringify(input ?? {})).slice(1, -1));
  });

  it("has an example within bounds, whatever its schema repeats and however deep it is", () => {
    const levels = (count: number, required: (level: number) => string[]): object =>
      Array.from({ length: count }).reduce<object>(
        (inner, _, level) => ({
          type: "object",
          properties: Object.fromEntries(new Set(required(level)).values().map((name) => [name, inner])),
          required: required(level),
        }),
        { type: "string" },
      );
    const inputOf = (inputSchema: object): unknown => {
      const text = callsOf(offer("resource", { method: "POST", inputSchema }), "a")[0]!.text;
      return JSON.parse(/-d '(.*)'/.exec(text)![1]!);
    };
    expect(inputOf(levels(7, () => Array(48).fill("a")))).toEqual({
      a: { a: { a: { a: { a: { a: { a: "<a>" } } } } } },
    });
    expect(JSON.stringify(inputOf(levels(5_000, () => ["a"])))).toBe(`${'{"a":'.repeat(8)}{}${"}".repeat(8)}`);
    // The second level alone has 900.
    const wide = levels(2, (level) => Array.from({ length: 30 }, (_, index) => `${"ab"[level]}${index}`));
    expect(JSON.stringify(inputOf(wide)).match(/:/g)).toHaveLength(200);
  });

  it.each([null, "ipfs://x", "javascript:alert(1)", "https://user:secret@a.example/", "no address"])(
    "to %j is none",
    (endpoint) => expect(callsOf(offer("skill", { endpoint }), "a")).toEqual([]),
  );
});

it("a shell takes any text for one word", () => {
  const words = fc.sample(
    fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed().replaceAll("\0", "")),
    40,
  );
  const all = [...words, "'; touch /x; '", "$(id)", "`id`", "a\nb", String.raw`\'`, ""];
  const script = `printf '%s\\0' ${all.map(shellWord).join(" ")}`;
  expect(execFileSync("/bin/sh", ["-c", script]).toString().split("\0").slice(0, -1)).toEqual(all);
});
