/** What agents speak: MCP with its official client, A2A, the card and llms.txt. Every answer is the API's own. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import canonicalize from "canonicalize";
import { base64url, createLocalJWKSet, flattenedVerify, type JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../api/routes/index.ts";
import { TOOLS as DECLARED } from "../../api/tools/tools.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, apiForTest, type TestApi } from "./support/api.ts";

const WALLET = `0x${"a1".repeat(20)}` as const;
const OWNER = `0x${"b2".repeat(20)}` as const;
const TOOLS = [
  "find_agents",
  "search_agents",
  "get_reviews",
  "get_jobs",
  "get_payments",
  "preflight",
  "get_advice",
  "get_agent",
  "get_cred",
  "leaderboard",
  "verify_receipt",
  "directory_search",
];

let client: Client;
const api = apiForFile({
  env: { RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}`, AGENT_CARD_PRIVATE_KEY: `0x${"6".repeat(64)}` },
});
beforeAll(async () => {
  await plantAgents(api.pool, [
    { tokenId: 0, name: "Atlas", agentAddress: WALLET, score: 80 },
    { tokenId: 1, name: "Atlas Junior", owner: OWNER, score: 20 },
    { tokenId: 2, name: "Bea", score: 55 },
  ]);
  await api.sql(`insert into offchain.profile_field (token_id, field, value) values (0, 'skills', '["drafting"]'),
       (0, 'services', '{"mcp":{"url":"https://quill.example/mcp","tools":["draft"]},"telegram":{"handle":"@quill"}}'),
       (0, 'metadata', '{"acceptedPayments":["usdc"],"rates":{"hourly":12.5}}')`);
  await plantDirectory(api.pool, [
    { platform: "virtuals", agent_id: "77", name: "Elsewhere", owner_address: OWNER, cred_score: 30 },
    { platform: "helixa", agent_id: "2", token_id: 2, name: "Bea", cred_score: 55 },
  ]);
  client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`)));
});
afterAll(() => client?.close());

type Schema = { properties?: Record<string, object>; required?: string[] };

/** Every argument of an operation by the OpenAPI document, and whether it is required. */
function takenBy(document: TestApi["document"], path: string, method: string): Record<string, boolean> {
  const { parameters, requestBody } = document.paths[path]![method]! as (typeof document)["paths"][string][string] & {
    requestBody?: { content: { "application/json": { schema: { $ref: string } } } };
  };
  const named = parameters.filter((p) => p.in === "path" || p.in === "query");
  const body = requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
  const { properties = {}, required = [] } = (body ? document.components.schemas[body] : {}) as Schema;
  return {
    ...Object.fromEntries(named.map((p) => [p.name, p.required])),
    ...Object.fromEntries(Object.keys(properties).map((name) => [name, required.includes(name)])),
  };
}

type Result = { isError?: boolean; structuredContent?: unknown; content: { type: string; text: string }[] };
const call = async (name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args })) as Result;
/** What a result answers: JSON in its first text. */
const answered = ({ content }: Result) => JSON.parse(content[0]!.text) as Record<string, unknown>;
/** An answer without the time at which it was computed. */
const TIMED = { computedAt: null, at: null, validUntil: null, payload: null, receipt: null };
const still = (value: unknown) => ({ ...(value as object), ...TIMED });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.send("POST", path, {
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const rpc = (method: string, params?: object, id = 1) => ({ jsonrpc: "2.0", id, method, ...(params && { params }) });

const send = (data: unknown, more: object = {}) =>
  post(
    "/a2a",
    rpc("message/send", {
      message: { kind: "message", role: "user", messageId: "m1", parts: [{ kind: "data", data }], ...more },
    }),
  );

const RECEIPT = { payload: "{}", signature: `0x${"1".repeat(130)}` };

/** What hosts of models add to the arguments of a call. */
const ADDED: Record<string, unknown>[][] = [
  [{ toolCallId: "call_0001" }],
  [{ sessionId: "s", action: "sendMessage", chatInput: "hi", tool: { nested: [1] } }],
  [{ constructor: "x", ["x".repeat(10_000)]: 1 }],
  [Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`more${i}`, i]))],
];

/** Bodies that are no message of JSON-RPC: the error, and the id that can be read. */
const NO_MESSAGES: [body: unknown, code: number, id: unknown][] = [
  ['{"jsonrpc":"2.0","id":1,"method":', -32700, null],
  ["", -32700, null],
  ['{"id":1,"id":2}', -32700, null],
  ["123", -32600, null],
  ["null", -32600, null],
  ["[]", -32600, null],
  [[{ jsonrpc: "2.0", id: 1, method: "ping" }], -32600, null],
  [{ jsonrpc: "2.0", id: 7, method: 5 }, -32600, 7],
  [{ jsonrpc: "1.0", id: "seven", method: "ping" }, -32600, "seven"],
  [{ id: 7, method: "ping" }, -32600, 7],
  [{ jsonrpc: "2.0", id: {}, method: "ping" }, -32600, null],
  [{ jsonrpc: "2.0", id: [1], method: "ping" }, -32600, null],
  [{ jsonrpc: "2.0", id: true, method: "ping" }, -32600, null],
];

describe("MCP", () => {
  it("introduces itself and has exactly its tools, each with what it is for and takes", async () => {
    expect(client.getServerVersion()).toMatchObject({ name: "Helixa", version: "2.0.0" });
    expect(client.getInstructions()).toContain("get_cred");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { inputSchema, annotations, description } of tools) {
      expect(inputSchema).toMatchObject({ type: "object" });
      // Hosts that check arguments before they send them would refuse their own additions.
      expect(inputSchema).not.toHaveProperty("additionalProperties");
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(description).toMatch(/^Use this .*\.$/);
    }
    const [, search, reviews] = tools;
    expect(search!.inputSchema.properties).toMatchObject({
      minCred: { type: "integer", minimum: 0, maximum: 100 },
      verified: { type: "boolean" },
    });
    expect([search!.inputSchema.required, reviews!.inputSchema.required]).toEqual([undefined, ["ref"]]);
  });

  it("requires of a tool what its endpoint requires, and describes each argument", async () => {
    const { tools } = await client.listTools();
    for (const { name, inputSchema } of tools) {
      const { path, method } = DECLARED.find((tool) => tool.name === name)!.endpoint;
      const taken = takenBy(api.document, path, method);
      const { full, ...properties } = (inputSchema as Schema).properties!;
      const { required = [] } = inputSchema as Schema;
      expect([name, Object.keys(taken)]).toEqual([name, expect.arrayContaining(Object.keys(properties))]);
      expect([name, full === undefined]).toEqual([name, name === "find_agents"]);
      expect([name, required.toSorted()]).toEqual([
        name,
        Object.keys(taken)
          .filter((argument) => taken[argument])
          .sort(),
      ]);
      for (const [argument, schema] of Object.entries(properties))
        expect([name, argument, Object.keys(schema)]).toEqual([
          name,
          argument,
          expect.arrayContaining(["type", "description"]),
        ]);
    }
  });

  const reads: [string, Record<string, unknown>, string][] = [
    ["search_agents", { q: "atlas", minCred: 50 }, "/api/v2/search?q=atlas&minCred=50"],
    [
      "search_agents",
      { q: "atlas", verified: false, limit: 1, tier: null },
      "/api/v2/search?q=atlas&verified=false&limit=1",
    ],
    ["get_reviews", { ref: 0, limit: 3 }, "/api/v2/agent/0/reviews?limit=3"],
    ["get_jobs", { ref: 77, platform: "virtuals", limit: 3 }, "/api/v2/agent/77/jobs?platform=virtuals&limit=3"],
    ["get_payments", { ref: 2, limit: 1 }, "/api/v2/agent/2/payments?limit=1"],
    ["get_agent", { ref: 0 }, "/api/v2/agent/0"],
    ["get_agent", { ref: WALLET }, `/api/v2/agent/${WALLET}`],
    ["get_cred", { ref: "1" }, "/api/v2/agent/1/cred"],
    ["get_cred", { ref: WALLET.toUpperCase().replace("0X", "0x") }, `/api/v2/agent/${WALLET}/cred`],
    ["leaderboard", { sort: "cred", limit: 2 }, "/api/v2/leaderboard?sort=cred&limit=2"],
    ["directory_search", { q: "else", filter: "all" }, "/api/terminal/agents?q=else&filter=all"],
    ["find_agents", { q: "drafts letters", limit: 2 }, "/api/v2/discover/short?q=drafts+letters&limit=2"],
    ["find_agents", { minCred: 50, speaks: "mcp,x402" }, "/api/v2/discover/short?minCred=50&speaks=mcp,x402"],
    ["directory_search", { filter: "losers" }, "/api/terminal/agents?filter=losers&sort=price_change_24h&dir=asc"],
  ];
  it.each(reads)("%s %j answers in full what the API answers", async (name, args, path) => {
    const { body } = await api.get(path);
    const result = await call(name, { ...args, full: true });
    expect(result.isError).toBeFalsy();
    expect(still(result.structuredContent)).toEqual(still(body));
    expect(still(answered(result))).toEqual(still(body));
  });

  it.each(DECLARED.map((tool) => [tool.name, tool] as const))(
    "%s answers its example in at most 6,000 characters, of what the API answers",
    async (name, { example, read, limit }) => {
      const text = example.replace(/\b7\b/, "0").replace(/0x\w{40}/, WALLET);
      const args = read({ text, data: RECEIPT })!;
      const result = await call(name, args);
      expect(result.content.map(({ text }) => text).join("").length).toBeLessThanOrEqual(6_000);
      const [short, whole] = [answered(result), answered(await call(name, { limit, ...args, full: true }))];
      expect(still(whole)).toMatchObject(still(short));
      expect(still(result.structuredContent)).toEqual(still(whole));
      const inShort = await call(name, { ...args, full: false });
      expect(still(inShort.structuredContent)).toEqual(still(short));
    },
  );

  it.each([
    ["search_agents", { q: OWNER.slice(0, 9) }, "Atlas Junior"],
    ["search_agents", { owner: OWNER }, "Atlas Junior"],
    ["directory_search", { q: OWNER }, "Elsewhere"],
  ])("%s %j finds by the owner", async (name, args, found) => {
    const { agents } = answered(await call(name, args)) as { agents: { name: string }[] };
    expect(agents.map(({ name }) => name)).toEqual([found]);
  });

  it("verify_receipt tells a receipt that is none of ours", async () =>
    expect(answered(await call("verify_receipt", { payload: "{}", signature: `0x${"1".repeat(130)}` }))).toEqual({
      valid: false,
    }));

  const wrong: [string, Record<string, unknown>, object][] = [
    ["get_agent", { ref: 4040 }, { code: "not_found", error: expect.stringContaining("4040") }],
    [
      "get_agent",
      {},
      { code: "invalid_input", details: [{ path: "ref" }], hint: expect.stringContaining('get_agent {"ref":') },
    ],
    ["get_agent", { ref: "12abc" }, { code: "invalid_input", details: [{ path: "ref" }] }],
    ["get_agent", { ref: { $ne: 1 } }, { code: "invalid_input", details: [{ path: "ref" }] }],
    ["find_agents", { maxPrice: "cheap" }, { code: "invalid_input", details: [{ path: "maxPrice" }] }],
    ["find_agents", { cursor: "no cursor" }, { code: "invalid_input", details: [{ path: "cursor" }] }],
    ["search_agents", { minCred: 101 }, { code: "invalid_input", details: [{ path: "minCred" }] }],
    ["preflight", { amount: "1" }, { code: "invalid_input" }],
    ["verify_receipt", { payload: 5, signature: "0x" }, { code: "invalid_input" }],
  ];
  it.each(wrong)("%s %j is an error the model can read", async (name, args, expected) => {
    const { isError, content, structuredContent } = await call(name, args);
    expect([isError, structuredContent]).toEqual([true, undefined]);
    expect(JSON.parse(content[0]!.text)).toMatchObject({ ...expected, requestId: expect.any(String) });
  });

  it.each(ADDED)("ignores what a host of models adds to a call, and names it, case %#", async (added) => {
    const asks = { get_agent: { ref: "0" }, get_cred: { ref: "0" }, leaderboard: {}, search_agents: { q: "a" } };
    for (const [name, args] of Object.entries(asks)) {
      const plain = await call(name, args);
      const { _meta: meta, ...more } = (await call(name, { ...args, ...added })) as Result & { _meta: object };
      expect(still(answered(more))).toEqual(still(answered(plain)));
      const named = Object.keys(added).map((each) => each.slice(0, 64));
      expect(meta).toEqual({ ignoredArguments: named.slice(0, 20) });
    }
    const body = { skill: "get_agent", arguments: { ref: 0, ...added } };
    const said = (await send(body)).body as unknown as { result: { metadata: object; parts: unknown[] } };
    expect(said.result.metadata).toEqual({
      ignoredArguments: Object.keys(added)
        .map((each) => each.slice(0, 64))
        .slice(0, 20),
    });
  });

  it("says what it ignored where a model reads it, and takes names that mean an argument", async () => {
    const said = (result: Result) => result.content.map(({ text }) => text).join(" ");
    expect(said(await call("get_agent", { ref: 0, chat: "x" }))).toContain(
      'Ignored, because this tool has no such arguments: "chat".',
    );
    expect(said(await call("get_agent", { ref: 0 }))).not.toContain("Ignored");
    for (const [near, exact] of [
      [{ query: "a" }, { q: "a" }],
      [{ search: "a" }, { q: "a" }],
    ])
      expect(answered(await call("search_agents", near))).toEqual(answered(await call("search_agents", exact)));
    for (const name of ["agentId", "tokenId", "id", "agent"])
      expect(answered(await call("get_agent", { [name]: 0 }))).toMatchObject({ tokenId: 0 });
    // What is given under its own name wins.
    expect(answered(await call("get_agent", { ref: 0, id: 4040 }))).toMatchObject({ tokenId: 0 });
  });

  const lists: [method: string, key: string][] = [
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
  ];
  it.each(lists)("%s is an empty list", async (method, key) => {
    expect((await post("/mcp", rpc(method))).body).toMatchObject({ result: { [key]: [] } });
  });

  it.each([null, undefined, {}])("no parameters are no parameters, as %j too", async (params) => {
    const { body } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list", params });
    expect(body).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  const forms: [params: unknown, expected: object][] = [
    [{ name: "leaderboard", arguments: null }, { result: { structuredContent: { agents: expect.any(Array) } } }],
    [{ name: "get_cred", arguments: '{"ref":"0"}' }, { result: { structuredContent: { tokenId: 0 } } }],
    [
      { name: "get_cred", arguments: "ref 0" },
      { error: { code: -32602, message: expect.stringContaining("arguments") } },
    ],
    [{ name: "get_cred", arguments: [] }, { error: { code: -32602, message: expect.stringContaining("arguments") } }],
    [{ name: 7 }, { error: { code: -32602, message: expect.stringContaining("name") } }],
    [{}, { error: { code: -32602, message: expect.stringContaining("name") } }],
    [null, { error: { code: -32602, message: expect.stringContaining("name") } }],
  ];
  it.each(forms)("a call with %j is answered, or refused by name", async (params, expected) => {
    expect((await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params })).body).toMatchObject(expected);
  });

  it.each([
    "application/json; charset=utf8",
    'application/json; charset="UTF-8"; boundary=x',
    "application/json;odata=verbose",
    "application/json;",
    "Application/JSON ; charset=us-ascii",
    "application/vnd.api+json; version=1",
  ])("a body of type %s is JSON", async (type) => {
    expect((await post("/mcp", rpc("tools/list"), { "content-type": type })).status).toBe(200);
  });

  it.each(["text/plain", "application/jsonp", "text/json"])("a body of type %s is 415", async (type) => {
    expect((await post("/mcp", rpc("tools/list"), { "content-type": type })).status).toBe(415);
  });

  it("describes its tools in JSON Schema 2020-12 and nothing else: a strict reader takes them", async () => {
    const { tools } = await client.listTools();
    for (const { name, inputSchema } of tools) {
      const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
      formats.default(ajv);
      expect(() => ajv.compile(inputSchema), name).not.toThrow();
    }
  });

  it("knows no other tool", async () => await expect(call("mint", {})).rejects.toThrow(/no tool/));

  it("is used by the example", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["examples/mcp-client.ts", "atlas", api.url]);
    expect(stdout.split("\n")).toEqual([
      `tools: ${TOOLS.join(", ")}`,
      "2 agents, the best: Atlas, Atlas Junior",
      "Atlas has 80 of 100 points: Prime",
      "",
    ]);
  });

  it("keeps no session and has no stream: any process answers the next request", async () => {
    const { headers } = await post("/mcp", rpc("ping"));
    expect(headers.has("mcp-session-id")).toBe(false);
    for (const method of ["GET", "DELETE"]) {
      const answer = await api.send(method, "/mcp", { headers: { accept: "text/event-stream" } });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    expect(await post("/mcp", rpc("tools/list"), { "mcp-session-id": "of another process" })).toMatchObject({
      status: 200,
    });
  });

  it("takes a notification with 202, and no body", async () =>
    expect(await post("/mcp", { jsonrpc: "2.0", method: "notifications/initialized" })).toMatchObject({
      status: 202,
      text: "",
    }));

  it.each([
    ["no JSON", "{", 400],
    ["a batch", [rpc("ping")], 400],
    ["another protocol", { jsonrpc: "1.0", id: 1, method: "ping" }, 400],
    ["neither request nor answer", { jsonrpc: "2.0", id: 1, params: 5 }, 400],
    ["too much", `{"jsonrpc":"2.0","x":"${"x".repeat(300_000)}"}`, 413],
  ])("refuses %s", async (_, body, status) => expect((await post("/mcp", body)).status).toBe(status));

  it("says what is no message in JSON-RPC's own words, with the id where it can be read", async () => {
    for (const [body, code, id] of NO_MESSAGES)
      expect([body, (await post("/mcp", body)).body]).toMatchObject([body, { jsonrpc: "2.0", id, error: { code } }]);
  });

  it("answers an unknown method in the protocol's own words", async () =>
    expect(await post("/mcp", rpc("no/such/method"))).toMatchObject(answering(200, { error: { code: -32601 } })));

  it("refuses a protocol version it does not know", async () =>
    expect((await post("/mcp", rpc("ping"), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400));

  it.each(["https://elsewhere.test", "http://localhost:6274", "null"])("a page of %s may call both", async (origin) => {
    for (const path of ["/mcp", "/a2a", "/api/mcp", "/api/a2a"]) {
      const names = "content-type,mcp-session-id,mcp-protocol-version,a2a-version,a2a-extensions,last-event-id";
      const { headers } = await api.send("OPTIONS", path, {
        headers: {
          ...{ origin, "access-control-request-method": "POST" },
          "access-control-request-headers": names,
        },
      });
      const allowed = headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
      expect(allowed).toEqual(expect.arrayContaining(names.split(",")));
      const answer = await post(path, rpc(path.endsWith("mcp") ? "ping" : "tasks/get"), { origin, cookie: "a=1" });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      for (const name of ["set-cookie", "access-control-allow-credentials"])
        expect(answer.headers.has(name)).toBe(false);
    }
  });
});

describe("A2A", () => {
  it("has a card that names every tool as a skill, and the place where it is spoken", async () => {
    const { status, body, headers } = await api.get("/.well-known/agent-card.json");
    expect(status).toBe(200);
    expect(headers.get("etag")).not.toBeNull();
    expect(body).toMatchObject({
      protocolVersion: "0.3.0",
      name: "Helixa",
      url: "https://agents.test/a2a",
      preferredTransport: "JSONRPC",
      supportedInterfaces: ["1.0", "0.3"].map((protocolVersion) => ({
        ...{ url: "https://agents.test/a2a", protocolBinding: "JSONRPC", protocolVersion },
      })),
      capabilities: { streaming: false, pushNotifications: false },
    });
    const { skills } = body as unknown as { skills: { id: string }[] };
    expect(skills.map(({ id }) => id)).toEqual(TOOLS);
  });

  it("has a card that is signed with the key it names; without a key there is no signature and no key", async () => {
    const { signatures, ...card } = await api.read<{
      signatures: { protected: string; signature: string }[];
    }>("/.well-known/agent-card.json");
    const payload = base64url.encode(canonicalize(card)!);
    const path = "/.well-known/jwks.json";
    const keys = createLocalJWKSet(await api.read<JSONWebKeySet>(path));
    const { protectedHeader } = await flattenedVerify({ ...signatures[1]!, payload }, keys);
    expect(protectedHeader).toMatchObject({ alg: "ES256", jku: `https://agents.test${path}` });

    const keyless = await apiForTest({ alone: true });
    expect((await keyless.get("/.well-known/agent-card.json")).body).not.toHaveProperty("signatures");
    expect((await keyless.get(path)).body).toEqual({ keys: [] });
  });

  it("says what is no message in JSON-RPC's own words, with the id where it can be read", async () => {
    for (const [body, code, id] of NO_MESSAGES)
      expect([body, await post("/a2a", body)]).toMatchObject([
        body,
        { status: 200, body: { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } } },
      ]);
    expect((await post("/a2a", rpc("SendMessage", "x" as never))).body).toMatchObject({
      id: 1,
      error: { code: -32602 },
    });
  });

  it("answers no notification, and a null id with null", async () => {
    const params = {
      message: { role: "user", messageId: "1", parts: [{ data: { skill: "get_agent", arguments: { ref: 0 } } }] },
    };
    expect(await post("/a2a", { jsonrpc: "2.0", method: "message/send", params })).toMatchObject({
      status: 202,
      text: "",
    });
    expect((await post("/a2a", { jsonrpc: "2.0", id: null, method: "message/send", params })).body).toMatchObject({
      id: null,
      result: { kind: "message" },
    });
  });

  it("answers a message with a message: the data of the API", async () => {
    const { body } = await api.get("/api/v2/agent/2");
    const answer = await send({ skill: "get_agent", arguments: { ref: 2 } }, { contextId: "c1" });
    expect(answer).toMatchObject(
      answering(200, {
        jsonrpc: "2.0",
        id: 1,
        result: { kind: "message", role: "agent", contextId: "c1", parts: [{ kind: "data", data: body }] },
      }),
    );
  });

  it.each([
    ["an unknown skill", { skill: "mint" }, -32602],
    ["no skill", { text: "hello" }, -32602],
    ["an agent that is none", { skill: "get_agent", arguments: { ref: 4040 } }, -32602],
    ["bad arguments", { skill: "search_agents", arguments: { minCred: "much" } }, -32602],
  ])("of %s is an error of the protocol", async (_, data, code) =>
    expect(await send(data)).toMatchObject({ status: 200, body: { error: { code } } }),
  );

  /** Sends parts in the words of a version; gives parts, error and result in the same words. */
  const say = async (version: "0.3" | "1.0", parts: object[], message: object = {}) => {
    const given = { messageId: "m1", parts, ...message };
    const [method, role] = version === "1.0" ? ["SendMessage", "ROLE_USER"] : ["message/send", "user"];
    const answer = await post("/a2a", rpc(method, { message: { role, ...given } }), { "a2a-version": version });
    expect(answer.status).toBe(200);
    type Answered = { parts: { text?: string; data?: Record<string, unknown> }[]; role: string; contextId: string };
    const { result, error } = answer.body as unknown as {
      result?: Answered & { message: Answered };
      error?: { code: number; message: string; data: unknown };
    };
    const message_ = version === "1.0" ? result?.message : result;
    return { said: message_, parts: message_?.parts ?? [], error };
  };
  const textPart = (version: string, text: string) => (version === "1.0" ? { text } : { kind: "text", text });

  it("speaks 1.0 in its own forms: SendMessage, roles and parts without kinds, errors with typed details", async () => {
    const data = { skill: "get_agent", arguments: { ref: 2 } };
    const { body } = await api.get("/api/v2/agent/2");
    const { said } = await say("1.0", [{ data, mediaType: "application/json" }], { contextId: "c1" });
    expect(said).toEqual({
      messageId: expect.stringMatching(/^[0-9a-f]{32}$/),
      contextId: "c1",
      role: "ROLE_AGENT",
      parts: [{ data: body, mediaType: "application/json" }],
    });
    expect((await say("1.0", [{ data }])).said?.contextId).toMatch(/^[0-9a-f]{32}$/);
    const { error } = await say("1.0", [{ data: { skill: "search_agents", arguments: { minCred: "much" } } }]);
    expect(error).toMatchObject({
      code: -32602,
      data: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INVALID_INPUT", domain: "agents.test" },
        { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "minCred" }] },
      ],
    });
    expect((await say("1.0", [{ data }], { taskId: "t1" })).error?.code).toBe(-32001);
    expect((await say("1.0", [{ url: "https://a.test/x.png" }])).error?.code).toBe(-32005);
  });

  it("refuses a version that it does not speak, whatever the patch of one that it does", async () => {
    const at = async (version: string) =>
      (await post("/a2a", rpc("GetTask", { id: "t" }), { "a2a-version": version })).body as unknown as {
        error: { code: number };
      };
    for (const [version, code] of [
      ["1.0.1", -32001],
      ["0.3.0", -32001],
      ["0.5", -32009],
      ["2.0", -32009],
    ] as const)
      expect([version, (await at(version)).error.code]).toEqual([version, code]);
    expect((await post("/a2a", rpc("ListTasks", {}), { "a2a-version": "1.0" })).body).toMatchObject({
      result: { tasks: [], nextPageToken: "" },
    });
  });

  const asked: [string, string][] = [
    ["Find verified agents named Atlas with a cred of at least 50.", "/api/v2/search?q=Atlas&verified=true&minCred=50"],
    ["What are the reviews of agent 0 worth?", "/api/v2/agent/0/reviews"],
    ["What was agent 2 paid, and by whom?", "/api/v2/agent/2/payments"],
    ["How can agent 1 raise its cred score?", "/api/v2/agent/1/cred/advice"],
    ["Who is agent 1?", "/api/v2/agent/1"],
    [`How far can I trust the agent with the wallet ${WALLET}?`, `/api/v2/agent/${WALLET}/cred`],
    ["Which ten agents have the best cred?", "/api/v2/leaderboard?limit=10"],
    ["Which new agents take x402 payments?", "/api/terminal/agents?filter=x402&sort=created_at"],
    [
      "Find an agent that can audit Solidity for under 5 cents with x402.",
      "/api/v2/discover/short?q=audit+Solidity+for+under+5+cents+with+x402",
    ],
    ["Who can translate contracts to French?", "/api/v2/discover/short?q=translate+contracts+to+French"],
    [
      "I need three agents that can draft letters, with a cred of at least 50",
      "/api/v2/discover/short?q=draft+letters&minCred=50&limit=3",
    ],
    ["Recommend an MCP server for Solana prices", "/api/v2/discover/short?q=Solana+prices"],
    ["What is the cred of token #2", "/api/v2/agent/2/cred"],
    ["who is Bea?", "/api/v2/search?q=Bea"],
    ["Show me the top three agents", "/api/v2/leaderboard?limit=3"],
    ['{"skill":"get_agent","arguments":{"ref":0}}', "/api/v2/agent/0"],
  ];
  describe.each(["0.3", "1.0"] as const)("plain words in %s", (version) => {
    it.each(asked)("%s is answered by %s", async (text, path) => {
      const { body } = await api.get(path);
      const { parts, error } = await say(version, [textPart(version, text)]);
      expect(error).toBeUndefined();
      expect(parts).toHaveLength(2);
      expect({ ...parts[1]!.data, computedAt: null }).toEqual({ ...(body as object), computedAt: null });
      expect(parts[0]!.text).toMatch(/./);
    });

    it("every example of the card is answered: by its skill, or by what has to go along", async () => {
      const { skills } = await api.read<{
        skills: { id: string; examples: string[]; inputModes: string[] }[];
      }>("/.well-known/agent-card.json");
      for (const { id, examples, inputModes } of skills) {
        expect(inputModes).toEqual(["application/json", "text/plain"]);
        for (const example of examples) {
          const beside = id === "verify_receipt" ? [{ ...(version === "0.3" && { kind: "data" }), data: RECEIPT }] : [];
          const { parts, error } = await say(version, [textPart(version, example), ...beside]);
          // The wallet and the agent of the examples are none of this world.
          if (error) expect([id, error]).toMatchObject([id, { message: expect.stringMatching(/agent/i) }]);
          else expect([id, parts.map((part) => Object.keys(part).includes("data"))]).toEqual([id, [false, true]]);
        }
      }
    });

    it.each(["hello", "Is this receipt genuine?", "", "x".repeat(100_000), "agent ".repeat(10_000)])(
      "%.30s is answered by what can be asked",
      async (text) => {
        const { parts } = await say(version, [textPart(version, text)]);
        expect(parts.map(({ text }) => text)).toEqual([expect.stringContaining("You can ask")]);
        for (const tool of TOOLS) expect(parts[0]!.text).toContain(tool);
      },
    );
  });

  it.each([
    ["message/stream", -32004],
    ["SendStreamingMessage", -32004],
    ["tasks/get", -32001],
    ["GetTask", -32001],
    ["CancelTask", -32001],
    ["CreateTaskPushNotificationConfig", -32003],
    ["GetExtendedAgentCard", -32004],
    ["toString", -32601],
  ])("%s is %i", async (method, code) =>
    expect(await post("/a2a", rpc(method, {}))).toMatchObject({ status: 200, body: { error: { code } } }),
  );

  it("without parts, or in no words of the protocol, is refused", async () => {
    expect((await post("/a2a", rpc("message/send", { message: { messageId: "m", parts: [] } }))).body).toMatchObject({
      error: { code: -32602 },
    });
    expect((await post("/a2a", { hello: 1 })).body).toMatchObject({ error: { code: -32600 } });
  });
});

describe("the catalog of APIs", () => {
  type Target = { href: string; type: string };
  type Linkset = { linkset: { anchor: string; [rel: string]: Target[] | string }[] };

  it("leads to documents that are there, of the type it says", async () => {
    const { status, headers, text } = await api.get("/.well-known/api-catalog");
    expect([status, headers.get("content-type")]).toEqual([
      200,
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    ]);
    const { linkset } = JSON.parse(text) as Linkset;
    expect(linkset.map(({ anchor }) => anchor)).toEqual(
      ["/api/v2", "/mcp", "/a2a"].map((path) => `https://agents.test${path}`),
    );
    const targets = linkset.flatMap((context) =>
      Object.values(context).flatMap((each) => (Array.isArray(each) ? each : [])),
    );
    expect(targets.length).toBeGreaterThan(6);
    for (const { href, type } of targets) {
      // The pages of the documentation are the terminal's, which is not built here.
      if (type === "text/html") continue;
      const answer = await api.get(new URL(href).pathname);
      expect([href, answer.status]).toEqual([href, 200]);
      if (type === "application/json") expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    }
  });

  it.each(["/", "/api/v2", "/.well-known/api-catalog"])("is linked from %s, for HEAD as well", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const { headers } = await api.send(method, path);
      const link = headers.get("link")!;
      expect(link).toContain('</.well-known/api-catalog>; rel="api-catalog"');
      for (const rel of ["service-desc", "service-doc", "describedby"]) expect(link).toContain(`rel="${rel}"`);
    }
  });
});

describe("aliases", () => {
  const gets: [string, string][] = [
    ["/", "/api/v2"],
    ["/.well-known/agent.json", "/.well-known/agent-card.json"],
    ["/.well-known/mcp/server-card.json", "/.well-known/mcp.json"],
    ["/.well-known/x402", "/.well-known/x402.json"],
    ["/openapi.json", "/api/v2/openapi.json"],
  ];
  it.each(gets)("GET %s is GET %s, with the same caching", async (alias, path) => {
    const [one, other] = [await api.get(alias), await api.get(path)];
    expect([one.status, one.text]).toEqual([200, other.text]);
    for (const name of ["content-type", "cache-control", "etag"])
      expect(one.headers.get(name)).toBe(other.headers.get(name));
  });

  it("POST /api/mcp and /api/a2a are /mcp and /a2a, and count as the same reads", async () => {
    const other = new Client({ name: "test", version: "1.0.0" });
    await other.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/api/mcp`)));
    expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    await other.close();
    const limited = await apiForTest({ alone: true, env: { LIMITS: "reads=3" } });
    const statuses = [];
    for (const path of ["/mcp", "/api/mcp", "/a2a", "/api/a2a"])
      statuses.push((await limited.write("POST", path, rpc("ping"))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it("are told by discovery, each with the path it stands for, and by llms.txt", async () => {
    const { aliases } = await api.read<{ aliases: Record<string, string> }>("/api/v2");
    const others = { "/api/mcp": "/mcp", "/api/a2a": "/a2a", "/api/terminal/marks": "/api/terminal/badges" };
    expect(aliases).toEqual({ ...Object.fromEntries(gets), ...others });
    const { text } = await api.get("/llms.txt");
    for (const alias of Object.keys(aliases)) expect(text).toContain(`\`${alias}\``);
  });
});

describe("documents at fixed paths", () => {
  it("mcp.json lists the tools as the server does, and where it is", async () => {
    const { body } = await api.get("/.well-known/mcp.json");
    expect(body).toMatchObject({
      name: "test.agents/helixa",
      remotes: [{ type: "streamable-http", url: "https://agents.test/mcp" }],
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
    });
    const { tools } = await client.listTools();
    expect(body.tools).toEqual(
      tools.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema })),
    );
  });

  it("agent-registration.json is an ERC-8004 file that names the service's own agent, if it has one", async () => {
    const { body } = await api.get("/.well-known/agent-registration.json");
    expect(body).toMatchObject({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "Helixa",
      services: expect.arrayContaining([
        { name: "A2A", endpoint: "https://agents.test/.well-known/agent-card.json", version: "1.0" },
      ]),
      registrations: [],
    });
    expect((await api.get(new URL(body.image!).pathname)).headers.get("content-type")).toMatch(/^image\/svg/);
    const registered = await apiForTest({ env: { ERC8004_AGENT_ID: "22" } });
    expect((await registered.get("/.well-known/agent-registration.json")).body.registrations).toEqual([
      { agentId: 22, agentRegistry: "eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432" },
    ]);
  });

  it("robots.txt lets crawlers read all but streams, exports and what is paid for", async () => {
    const { text } = await api.get("/robots.txt");
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        "User-agent: *",
        "Disallow: /api/v2/agent/*/cred-report",
        "Disallow: /api/v2/messages/groups/*/stream",
        "Allow: /",
      ]),
    );
    expect(text).not.toContain("/mint");
  });
});

describe("llms.txt", () => {
  it("names every operation there is, with a link", async () => {
    const { status, text, headers } = await api.get("/llms.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text.startsWith("# Helixa\n\n> ")).toBe(true);
    for (const { method, path, unlisted } of ENDPOINTS)
      if (!unlisted) expect(text).toContain(`[${method.toUpperCase()} ${path}](https://agents.test/docs/`);
    for (const tool of TOOLS) expect(text).toContain(tool);
  });
});
