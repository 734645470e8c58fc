/** Readers of offers, without a network: which event of a stream is the answer, and what a hostile answer may cost. */
import { describe, expect, it } from "vitest";
import { agentCard } from "../../core/offers/agent-card.ts";
import { mcp } from "../../core/offers/mcp.ts";
import type { EndpointReading, Send } from "../../core/offers/reader.ts";
import { x402 } from "../../core/offers/x402.ts";
import { cpuSince } from "../support/cpu.ts";

type Tool = { name: string; description?: string; inputSchema?: object };

const answerTo = (id: number, tools: readonly Tool[]) => JSON.stringify({ jsonrpc: "2.0", id, result: { tools } });

/** A server whose every answer is one text of the given form. @param bodyFor the body of the answer to a request's id */
const server =
  (bodyFor: (id: number) => string): Send =>
  async ({ url, method, body }, read) => {
    if (method !== "POST") return read({ status: 405, headers: {}, url, text: "" });
    const { id = 0 } = JSON.parse(body ?? "{}") as { id?: number };
    return read({ status: 200, headers: { "content-type": "text/event-stream" }, url, text: bodyFor(id) });
  };

const read = (bodyFor: (id: number) => string) => mcp.read("https://host.example/mcp", server(bodyFor), {}, null);
const namesOf = (reading: EndpointReading) =>
  reading.kind === "offers" ? reading.offers.map(({ name }) => name) : reading.kind;

const note = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}`;

describe("a stream of events", () => {
  it.each([
    ["alone", (answer: string) => `data: ${answer}\n\n`],
    ["without an end", (answer: string) => `data: ${answer}`],
    ["with other fields", (answer: string) => `id: 7\r\nevent: message\r\ndata: ${answer}\r\nretry: 5\r\n\r\n`],
    ["in two lines", (answer: string) => `data: ${answer.slice(0, 1)}\ndata: ${answer.slice(1)}\n\n`],
    ["behind notifications", (answer: string) => `${note}\n\n: ping\n\n${note}\n\ndata: ${answer}\n\n`],
    [
      "behind another answer and no JSON",
      (answer: string) => `data: ${answerTo(99, [])}\n\ndata: no\n\ndata: ${answer}\n\n`,
    ],
  ])("has the answer %s", async (_, streamed) => {
    expect(namesOf(await read((id) => streamed(answerTo(id, [{ name: "quote" }]))))).toEqual(["quote"]);
  });

  it.each([
    ["blank lines", "\n"],
    ["blank lines of two characters", "\r\n"],
    ["comments", ":\n\n"],
    ["fields without data", "id: 1\n\n"],
    ["events of no JSON", "data:x\n\n"],
    ["an event of many lines", "data:\n"],
    ["lines that end no event", "a\n"],
    ["beginnings of JSON", 'data:{"id":\n\n'],
  ])("of a megabyte costs as much as one: %s", async (_, piece) => {
    const stream = `data:{\n${piece.repeat(2 ** 20 / piece.length)}`;
    const from = process.threadCpuUsage();
    expect(await read(() => stream)).toMatchObject({ kind: "unreadable" });
    expect(cpuSince(from)).toBeLessThan(400);
  });
});

it("a server that redirects is asked where it answered; its tools keep the address that was named", async () => {
  const asked: string[] = [];
  const send: Send = async ({ url, body }, take) => {
    asked.push(new URL(url).pathname);
    const { id = 0 } = JSON.parse(body!) as { id?: number };
    return take({
      status: 200,
      headers: {},
      url: "https://host.example/mcp/",
      text: answerTo(id, [{ name: "quote" }]),
    });
  };
  const reading = await mcp.read("https://host.example/mcp", send, {}, null);
  expect(reading).toMatchObject({ offers: [{ name: "quote", endpoint: "https://host.example/mcp" }] });
  expect(asked).toEqual(["/mcp", "/mcp/", "/mcp/"]);
});

describe("a server of revision 2026-07-28 alone", () => {
  const REVISION = "2026-07-28";
  type Asked = { id: number; method: string; params: { cursor?: string; _meta?: Record<string, unknown> } };

  /** Answers `tools/list` in two pages to whoever says the revision in header and envelope, and refuses all else as `refusal` does. */
  const newest =
    (refusal: { status: number; text: string }, asked: Asked[] = []): Send =>
    async ({ url, method: verb, body = "{}", headers = {} }, take) => {
      if (verb !== "POST") return take({ status: 405, headers: {}, url, text: "" });
      const sent = JSON.parse(body) as Asked;
      asked.push(sent);
      const { id, method, params } = sent;
      const said = [headers["mcp-protocol-version"], params._meta?.["io.modelcontextprotocol/protocolVersion"]];
      if (method !== "tools/list" || said.some((each) => each !== REVISION) || headers["mcp-method"] !== method)
        return take({ headers: { "content-type": "application/json" }, url, ...refusal });
      const result = {
        ...{ resultType: "complete", ttlMs: 0, cacheScope: "private" },
        ...(params.cursor ? { tools: [{ name: "second" }] } : { tools: [{ name: "first" }], nextCursor: "2" }),
      };
      return take({ status: 200, headers: {}, url, text: JSON.stringify({ jsonrpc: "2.0", id, result }) });
    };
  const error = (code: number) => JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } });

  it.each([
    [{ status: 400, text: error(-32022) }],
    [{ status: 404, text: error(-32601) }],
    [{ status: 400, text: error(-32602) }],
    [{ status: 200, text: error(-32601) }],
    [{ status: 400, text: "<html>" }],
  ])("that refuses `initialize` with %j is read", async (refusal) =>
    expect(namesOf(await mcp.read("https://host.example/mcp", newest(refusal), {}, null))).toEqual(["first", "second"]),
  );

  it("that asks for a credential is not asked twice", async () => {
    const asked: Asked[] = [];
    const reading = await mcp.read("https://host.example/mcp", newest({ status: 401, text: "" }, asked), {}, null);
    expect([reading.kind, asked.length]).toEqual(["needs_credentials", 1]);
  });

  it("that refuses both is what its first answer says", async () => {
    const refuses: Send = async ({ url }, take) => take({ status: 500, headers: {}, url, text: "" });
    expect(await mcp.read("https://host.example/mcp", refuses, {}, null)).toEqual({
      kind: "unreadable",
      why: "The server answers with status 500.",
    });
  });
});

describe("an agent card", () => {
  const cardOf = (name: string, more: object = {}) =>
    JSON.stringify({ name, url: `https://host.example/${name}`, skills: [{ id: name, name }], ...more });
  type Place = [status: number, text: string];
  /** A host that has these, and 404 for all else. @param asked the paths in the order in which they were asked for */
  const host =
    (places: Record<string, Place>, asked: string[] = []): Send =>
    async ({ url }, take) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      const [status, text] = places[pathname] ?? [404, ""];
      return take({ status, headers: {}, url, text });
    };
  const at = (folder: string) => `${folder}/.well-known/agent-card.json`;
  const readAt = (endpoint: string, places: Record<string, Place>, asked?: string[]) =>
    agentCard.read(`https://host.example${endpoint}`, host(places, asked), {}, null);

  it("below the agent's own path comes before the one of the host that several share", async () => {
    const places: Record<string, Place> = {
      [at("")]: [200, cardOf("platform")],
      [at("/agents/alice")]: [200, cardOf("alice")],
    };
    expect(namesOf(await readAt("/agents/alice", places))).toEqual(["alice"]);
    expect(namesOf(await readAt("/agents/bob", places))).toEqual(["platform"]);
  });

  it.each([401, 403, 404, 500])("is found where another place answers with %d", async (status) => {
    expect(namesOf(await readAt("/a", { [at("/a")]: [status, ""], [at("")]: [200, cardOf("a")] }))).toEqual(["a"]);
    expect(namesOf(await readAt("/a", { [at("")]: [status, ""], [at("/a")]: [200, cardOf("a")] }))).toEqual(["a"]);
    const old = { [at("")]: [status, ""] as Place, "/.well-known/agent.json": [200, cardOf("a")] as Place };
    expect(namesOf(await readAt("", old))).toEqual(["a"]);
  });

  it("that asks for a credential wherever one looks says so, and each place is asked once", async () => {
    const asked: string[] = [];
    expect(await readAt("/a", { [at("")]: [401, ""] }, asked)).toEqual({ kind: "needs_credentials" });
    expect(asked).toEqual([at("/a"), at(""), "/.well-known/agent.json"]);
  });

  it.each([
    [{ url: undefined, supportedInterfaces: [{ url: "grpc.host.example:443" }, { url: "https://host.example/rpc" }] }],
    [{ url: "grpc://host.example", additionalInterfaces: [{ url: "https://host.example/rpc" }] }],
    [{ url: 5, supportedInterfaces: [null, {}, { url: "HTTPS://host.example/rpc" }] }],
  ])("shows an address that can be called: %j", async (more) => {
    const reading = await readAt("", { [at("")]: [200, cardOf("a", more)] });
    expect(reading.kind === "offers" && reading.offers[0]!.endpoint?.toLowerCase()).toBe("https://host.example/rpc");
  });
});

it("a page of tools whose texts are marks costs what its size does, and keeps what fits", async () => {
  const marks = `a${"\u0301\u0316".repeat(7_000)}`;
  const tools = Array.from({ length: 30 }, () => ({
    name: marks,
    description: marks,
    inputSchema: { [marks]: marks },
  }));
  const from = process.threadCpuUsage();
  const reading = await read((id) => `data: ${answerTo(id, tools)}\n\n`);
  expect(cpuSince(from)).toBeLessThan(600);
  expect(namesOf(reading)).toEqual(Array(30).fill(expect.stringMatching(/^\u00e1\p{M}{29}$/u)));
});

describe("the demand of a paid resource", () => {
  const URL = "https://shop.example/run";
  const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
  const one = { scheme: "exact", network: "eip155:8453", asset, amount: "20000", payTo: "0x1" };
  const first = { ...one, network: "base", amount: undefined, maxAmountRequired: "20000" };
  const newer = { x402Version: 2, accepts: [one] };
  const older = { x402Version: 1, accepts: [first] };
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
  const UNREAD = "Its PAYMENT-REQUIRED header has no terms that can be read.";
  const NO_LIST = "Its terms are not in a list named accepts.";
  const PLAIN = "Its PAYMENT-REQUIRED header is not in base64.";

  it.each<[what: string, header: string | undefined, body: unknown, why: string | undefined]>([
    ["of version 2", base64(newer), {}, undefined],
    [
      "of version 2 in the other alphabet, with its description",
      base64({ ...newer, resource: { description: "ÿ?>" } })
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", ""),
      {},
      undefined,
    ],
    ["of version 1", undefined, older, undefined],
    ["by facilitators' word", base64({ paymentRequirements: [one] }), {}, NO_LIST],
    ["one alone", base64({ accepts: one }), {}, NO_LIST],
    ["one alone by facilitators' word", base64({ paymentRequirements: one }), {}, NO_LIST],
    ["a bare list", base64([one]), {}, NO_LIST],
    ["that is not encoded", JSON.stringify(newer), {}, PLAIN],
    ["a bare list that is not encoded", JSON.stringify([one]), {}, `${PLAIN} ${NO_LIST}`],
    ["in the body by facilitators' word", undefined, { paymentRequirements: [first] }, NO_LIST],
    ["in the body as a bare list", undefined, [first], NO_LIST],
    ["without any beside a body that has some", base64({ x402Version: 2, accepts: [] }), older, UNREAD],
    ["with none that can be read beside a body that has some", base64({ accepts: [{ amount: 1 }] }), older, UNREAD],
    ["that is no JSON beside a body", "payment required", older, UNREAD],
    ["that is null beside a body", base64(null), older, UNREAD],
  ])("%s is read", async (_, header, body, why) => {
    const headers = { "payment-required": header };
    const send: Send = async ({ url }, take) => take({ status: 402, headers, url, text: JSON.stringify(body) });
    const reading = await x402.read(URL, send, {}, null);
    expect(reading).toMatchObject({ kind: "offers", offers: [{ endpoint: URL, priceUsd: 0.02 }] });
    expect("why" in reading ? reading.why : undefined).toBe(why);
  });

  it("without terms in any place is not", async () => {
    const headers = { "payment-required": base64({ accepts: [] }) };
    const send: Send = async ({ url }, take) => take({ status: 402, headers, url, text: "{}" });
    expect(await x402.read(URL, send, {}, null)).toMatchObject({
      kind: "unreadable",
      why: expect.stringMatching("no terms"),
    });
  });
});
