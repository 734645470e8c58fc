/** Hostile bodies: whatever is sent, the answer is the contract's error, soon, and never a 500. */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoint } from "../../api/endpoint.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { NEVER } from "../../harness/patience.ts";
import { forAll } from "../support/for-all.ts";
import { answering, apiForFile, named, refusal } from "./support/api.ts";
import { parseRaw, raw } from "./support/raw.ts";

/** Gives back what it understood. */
const echo = endpoint({
  ...named("post", "/echo"),
  body: z.unknown(),
  responses: { 200: { description: "What arrived", schema: z.object({ body: z.unknown().optional() }) } },
  handler: ({ body }, json) => json({ body }),
});
const strict = endpoint({
  ...named("put", "/strict"),
  body: z.strictObject({
    name: z.string().min(1).max(3),
    level: z.int().min(0).max(10).optional(),
    on: z.boolean().optional(),
  }),
  responses: { 200: { description: "Fine", schema: z.object({}) } },
  handler: (_, json) => json({}),
});

const api = apiForFile({ endpoints: [echo, strict] });

const post = (
  body: string | Buffer | undefined,
  headers: Record<string, string> = { "content-type": "application/json" },
) => api.send("POST", "/echo", { headers, ...(body !== undefined && { body }) });

describe("JSON bodies", () => {
  const refused: [string, string | Buffer][] = [
    ["not JSON", "{"],
    ["two values", "{} {}"],
    ["a comment", "{} // no"],
    ["single quotes", "{'a':1}"],
    ["a trailing comma", '{"a":1,}'],
    ["NaN", '{"a":NaN}'],
    ["1e400", '{"a":1e400}'],
    ["-1e400", "[-1e400]"],
    ["2^53", '{"a":9007199254740992}'],
    ["2^53+1", '{"a":9007199254740993}'],
    ["a huge integer", `{"a":${"9".repeat(400)}}`],
    ["NUL in a value", '{"a":"x\\u0000y"}'],
    ["NUL in a key", '{"x\\u0000":1}'],
    ["a raw control character", '{"a":"\u0001"}'],
    ["a lone high surrogate", '{"a":"\\ud800"}'],
    ["a lone low surrogate", '{"a":"x\\udc00"}'],
    ["surrogates in the wrong order", '{"a":"\\udc00\\ud800"}'],
    ["__proto__", '{"__proto__":{"admin":true}}'],
    ["__proto__ escaped", '{"__pr\\u006fto__":1}'],
    ["__proto__ deep inside", '{"a":[{"b":{"__proto__":1}}]}'],
    ["a duplicate key", '{"a":1,"a":2}'],
    ["a duplicate key, escaped", '{"a":1,"\\u0061":2}'],
    ["a duplicate key before much space", `{"a":1,"a"${" ".repeat(500)}:2}`],
    ["depth 10000 of arrays", "[".repeat(10_000) + "]".repeat(10_000)],
    ["depth 10000 of objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["100000 open brackets", "[".repeat(100_000)],
    ["a byte order mark", "\ufeff{}"],
    ["UTF-16", Buffer.from("{}", "utf16le")],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["an overlong encoding", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["an unclosed string", '"abc'],
    ["a bad escape", '"\\x41"'],
    ["white space only", "   "],
  ];
  it.each(refused)("with %s are 400", async (_, body) => {
    const { status, body: answer, text } = await post(body);
    expect({ status, code: answer.code }).toEqual({ status: 400, code: "invalid_input" });
    expect(text).not.toMatch(/SyntaxError|position|Unexpected token|zod/i);
  });

  it.each([
    ["an object", '{"a":[1,-2.5e-3,{"b":null}],"c":"\\ud83e\\udd16 é"}'],
    ["keys named like members", '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    ["the same key in different objects", '[{"a":1},{"a":2,"b":{"a":3}}]'],
    ["a key equal to a value", '{"a":"a","b":"a"}'],
    ["the greatest safe integer", "[9007199254740991,-9007199254740991]"],
    ["32 levels", "[".repeat(32) + "]".repeat(32)],
    ["a bare value", "0"],
  ])("with %s are understood", async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 200, text: JSON.stringify({ body: JSON.parse(body) }) });
  });

  it("that are empty are absent", async () => {
    expect((await post("")).text).toBe("{}");
    expect((await post(undefined)).text).toBe("{}");
    expect((await post(undefined, {})).text).toBe("{}");
  });

  it("agree with JSON.parse on whatever JSON.stringify writes", () => {
    const holdable = (value: unknown): boolean => {
      if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
      if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
      if (value === null || typeof value !== "object") return true;
      return Object.entries(value).every(([k, v]) => k !== "__proto__" && holdable(k) && holdable(v));
    };
    forAll([fc.jsonValue({ maxDepth: 8 }), fc.nat(3)], { numRuns: 500 }, (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const bytes = Buffer.from(text);
      if (holdable(JSON.parse(text))) expect(parseStrictJson(bytes)).toEqual(JSON.parse(text));
      else expect(() => parseStrictJson(bytes)).toThrow();
    });
  });

  it("of any bytes are understood or refused, never worse", () =>
    forAll(
      [
        fc.oneof(
          fc.uint8Array({ maxLength: 64 }),
          fc.string({ unit: "binary" }).map((s) => Buffer.from(s)),
        ),
      ],
      { numRuns: 500 },
      (bytes) => {
        try {
          parseStrictJson(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid_input" });
        }
      },
    ));
});

describe("sizes and types", () => {
  it("up to 256 KiB pass, one byte more is 413", async () => {
    const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
    expect((await post(text(256 * 1024))).status).toBe(200);
    expect(await post(text(256 * 1024 + 1))).toMatchObject(refusal(413, "payload_too_large"));
  });

  it("are bounded while streaming, without a declared length, before the end comes", async () => {
    const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
    const head = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(parseRaw(await raw(api.url, head + chunk.repeat(5)))).toMatchObject(refusal(413, "payload_too_large"));
  });

  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/jsonp", 415],
    ["application/json; charset=latin1", 200],
    ["application/json;charset=UTF-8", 200],
    ["application/merge-patch+json", 200],
    ["Application/JSON", 200],
  ])("of type %s are %i", async (type, status) => {
    expect((await post("{}", { "content-type": type })).status).toBe(status);
  });

  it.each(["gzip", "deflate", "br", "gzip, identity"])("encoded as %s are 415, unread", async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024));
    expect(await post(bomb, { "content-type": "application/json", "content-encoding": encoding })).toMatchObject(
      refusal(415, "unsupported_media_type"),
    );
  });

  it("a client that leaves while sending harms nobody", async () => {
    const head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    await raw(api.url, head, { quietMs: NEVER });
    expect((await post("{}")).status).toBe(200);
  });
});

describe("schema problems", () => {
  const put = (body: unknown) => api.write("PUT", "/strict", body);
  it.each([
    [{}, "name", "is required"],
    [{ name: 7 }, "name", "must be a text"],
    [{ name: null }, "name", "is required"],
    [{ name: "" }, "name", "must have at least 1 character"],
    [{ name: "four" }, "name", "must have at most 3 characters"],
    [{ name: "a", level: 11 }, "level", "must be at most 10"],
    [{ name: "a", level: 1.5 }, "level", "must be a whole number"],
    [{ name: "a", level: "1" }, "level", "must be a number"],
    [{ name: "a", on: "true" }, "on", "must be true or false"],
    [{ name: "a", extra: 1 }, "extra", "is not a known field"],
    [[], "body", "must be an object"],
    ["text", "body", "must be an object"],
  ])("of %j name %s: %s", async (body, path, message) => {
    expect(await put(body)).toMatchObject(refusal(400, "invalid_input", { details: [{ path, message }] }));
  });

  it("of an absent body say so", async () => {
    expect(await api.send("PUT", "/strict")).toMatchObject(
      answering(400, { details: [{ path: "body", message: "is required" }] }),
    );
  });
});
