/** Answers in the coding that a client accepts: the same content, under validators and `Vary` that caches understand. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { Client, request } from "undici";
import { beforeAll, describe, expect, it } from "vitest";
import { encoded } from "../../api/http/content-coding.ts";
import { forAll } from "../support/for-all.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";

const api = apiForFile({}, { provoked: true });
beforeAll(async () => {
  await plantAgents(api.pool, [{ name: "Zero" }]);
  await api.sql(`insert into offchain.directory (platform, agent_id, name, description, cred_score)
     select 'virtuals', i::text, 'Agent ' || i, repeat('says "hi", ', 20), i % 90 from generate_series(1, 400) i`);
});

const DECODE: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

/** The bytes as sent, which clients like fetch decode unseen. */
async function sent(path: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" | "POST" = "GET") {
  const answer = await request(`${api.url}${path}`, { method, headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const coding = answer.headers["content-encoding"] as string | undefined;
  return { status: answer.statusCode, headers: answer.headers, bytes, coding };
}
const LIST = "/api/terminal/agents?limit=100";
const accept = (value: string) => ({ "accept-encoding": value });

describe("a long answer", () => {
  it.each([
    ["br, gzip", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0.5, gzip;q=1.0", "gzip"],
    ["GZIP", "gzip"],
    ["*", "br"],
    ["*, br;q=0", "gzip"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["gzip;q=0.001, identity;q=0", "gzip"],
    ["identity", undefined],
    ["identity, br;q=0.5", undefined],
    ["br;q=0, gzip;q=0", undefined],
    ["deflate, zstd", undefined],
    ["brotli, xgzip, gzipx", undefined],
    ["", undefined],
    [",;=, ;q=, gzip;q=nonsense", undefined],
  ])("to a client that accepts %s comes in %s", async (accepted, coding) => {
    const plain = await sent(LIST);
    const answer = await sent(LIST, accept(accepted));
    expect([answer.status, answer.coding]).toEqual([200, coding]);
    expect(Number(answer.headers["content-length"])).toBe(answer.bytes.length);
    expect(answer.headers.vary).toBe("Accept-Encoding");
    expect((coding ? DECODE[coding]!(answer.bytes) : answer.bytes).equals(plain.bytes)).toBe(true);
    if (coding) expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 4);
  });

  it("has the ETag of its content, which is weak where the bytes are others", async () => {
    const plain = await sent(LIST);
    expect([plain.coding, plain.headers.vary]).toEqual([undefined, "Accept-Encoding"]);
    const { headers } = await sent(LIST, accept("br"));
    expect(headers.etag).toBe(`W/${plain.headers.etag}`);
    for (const tag of [headers.etag, plain.headers.etag] as string[]) {
      const same = await sent(LIST, { ...accept("br"), "if-none-match": tag });
      expect([same.status, same.bytes.length, same.coding]).toEqual([304, 0, undefined]);
      expect([same.headers.etag, same.headers.vary]).toEqual([headers.etag, "Accept-Encoding"]);
      const uncompressed = await sent(LIST, { "if-none-match": tag });
      expect([uncompressed.status, uncompressed.headers.etag]).toEqual([304, plain.headers.etag]);
    }
  });

  it("is described by HEAD as GET sends it", async () => {
    const get = await sent(LIST, accept("gzip"));
    const head = await sent(LIST, accept("gzip"), "HEAD");
    expect([head.status, head.bytes.length, head.coding]).toEqual([200, 0, "gzip"]);
    for (const name of ["etag", "vary", "content-type", "cache-control"])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  });

  it("of more than a thread's worth is whole, and comes in its turn on a connection", async () => {
    const plain = await sent("/api/v2/openapi.json");
    expect(plain.bytes.length).toBeGreaterThan(65_536);
    for (const coding of ["br", "gzip"])
      expect(DECODE[coding]!((await sent("/api/v2/openapi.json", accept(coding))).bytes).equals(plain.bytes)).toBe(
        true,
      );
    const client = new Client(api.url, { pipelining: 2 });
    const both = await Promise.all(
      ["/api/v2/openapi.json", "/nowhere"].map((path) =>
        client.request({ method: "GET", path, headers: accept("gzip") }).then(async (answer) => {
          await answer.body.dump();
          return answer.statusCode;
        }),
      ),
    );
    await client.close();
    expect(both).toEqual([200, 404]);
  });

  it("of every kind is the same, whatever the coding", () =>
    forAll([fc.string({ unit: "binary", maxLength: 3_000 }), fc.constantFrom("br", "gzip")], (text, coding) => {
      const bytes = encoded(text, coding as "br") as Buffer;
      expect(DECODE[coding]!(bytes).equals(Buffer.from(text))).toBe(true);
    }));
});

describe("what is not compressed", () => {
  it("is short", async () => {
    const { coding, headers } = await sent("/health", accept("br, gzip"));
    expect([coding, headers.vary]).toEqual([undefined, undefined]);
  });

  it("is a picture", async () => {
    const { status, coding, headers } = await sent("/api/v2/card/0.png", accept("br"));
    expect([status, coding, headers.vary]).toEqual([200, undefined, "Accept"]);
  });

  it("is a stream of events", async () => {
    const stop = new AbortController();
    const { headers, body } = await request(`${api.url}/api/v2/events`, { headers: accept("br"), signal: stop.signal });
    expect(headers["content-type"]).toMatch(/^text\/event-stream/);
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
    body.on("error", () => {});
    stop.abort();
  });
});

describe("an export", () => {
  it.each(["csv", "json"])("as %s is compressed while it is made, and the same", async (format) => {
    const plain = await sent(`/api/terminal/agents.${format}`);
    for (const coding of ["br", "gzip"]) {
      const answer = await sent(`/api/terminal/agents.${format}`, accept(coding));
      expect([answer.coding, answer.headers.vary]).toEqual([coding, "Accept-Encoding"]);
      expect(DECODE[coding]!(answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 4);
    }
  });
});

describe("a refusal", () => {
  it("that is long is compressed, with its status", async () => {
    const path = `/api/v2/stats?minBlock=${"9".repeat(20)}&${Array.from({ length: 40 }, (_, i) => `unknown${i}=1`).join("&")}`;
    const { status, coding, bytes } = await sent(path, accept("gzip"));
    const text = (coding ? DECODE[coding]!(bytes) : bytes).toString();
    expect([status, JSON.parse(text).code, coding !== undefined]).toEqual([400, "invalid_input", text.length >= 1_024]);
  });
});
