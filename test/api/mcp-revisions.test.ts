/** /mcp in revision 2026-07-28 beside those before it: the newest client of the protocol in each of its modes, and what a request must say of itself. */
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../api/tools/tools.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile } from "./support/api.ts";

const REVISION = "2026-07-28";

const api = apiForFile();
beforeAll(() => plantAgents(api.pool, [{ tokenId: 0, name: "Atlas", score: 80 }]));

/** The envelope of a request of the revision. */
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
type Sent = { method: string; params?: Record<string, unknown>; id?: unknown; meta?: object | null; headers?: object };

/** Sends a request as the revision has it: the envelope in the body, and again in the headers. */
function send({ method, params = {}, id = 1, meta = META, headers = {} }: Sent) {
  const said: Record<string, string | null> = {
    ...{ "mcp-protocol-version": REVISION, "mcp-method": method },
    ...(typeof params.name === "string" && { "mcp-name": params.name }),
    ...headers,
  };
  return api.write(
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id, method, params: { ...params, ...(meta && { _meta: meta }) } },
    { ...Object.fromEntries(Object.entries(said).filter((each): each is [string, string] => each[1] !== null)) },
  );
}

describe("the protocol's own client", () => {
  const modes: [mode: VersionNegotiationMode, speaks: string][] = [
    ["legacy", "2025-11-25"],
    ["auto", REVISION],
    [{ pin: REVISION }, REVISION],
  ];
  it.each(modes)("in mode %j speaks %s: the tools, an answer, an error that a model can read", async (mode, speaks) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`)));
    expect(client.getNegotiatedProtocolVersion()).toBe(speaks);
    expect(client.getInstructions()).toContain("get_cred");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const asked = { ref: 0, full: true, chat: "x" };
    const { content, structuredContent, _meta } = await client.callTool({ name: "get_agent", arguments: asked });
    const { body } = await api.get("/api/v2/agent/0");
    expect(structuredContent).toEqual(body);
    expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(body);
    expect(_meta).toMatchObject({ ignoredArguments: ["chat"] });
    expect(await client.callTool({ name: "get_agent", arguments: { ref: 9 } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: "mint", arguments: {} })).rejects.toThrow(/no tool "mint"/);
    await client.close();
  });
});

describe(`revision ${REVISION}`, () => {
  it("is discovered: the revisions, what the server can do and is for, and how long that holds", async () => {
    const { status, body } = await send({ method: "server/discover" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 1,
      result: {
        ...{ resultType: "complete", supportedVersions: [REVISION], capabilities: { tools: {} } },
        ...{ instructions: expect.stringContaining("find_agents"), ttlMs: 300_000, cacheScope: "public" },
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "Helixa", version: "2.0.0" } },
      },
    });
  });

  it("says of each result that it is whole, and of a list how long it holds", async () => {
    expect((await send({ method: "tools/list" })).body).toMatchObject({
      result: { resultType: "complete", ttlMs: 300_000, cacheScope: "public", tools: expect.any(Array) },
    });
    const call = { method: "tools/call", params: { name: "get_agent", arguments: { ref: 0 } } };
    const { result } = (await send(call)).body as unknown as { result: object };
    expect(result).toMatchObject({ resultType: "complete", content: [{ type: "text" }, { type: "text" }] });
    expect(result).not.toHaveProperty("ttlMs");
  });

  const unlike = { ...META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const { "io.modelcontextprotocol/protocolVersion": _, ...unnamed } = META;
  const call = { method: "tools/call", params: { name: "get_agent", arguments: { ref: 0 } } };
  const refused: [what: string, sent: Sent, status: number, code: number, data?: object][] = [
    [
      ...([
        "a revision",
        { method: "tools/list", meta: unlike, headers: { "mcp-protocol-version": "2099-01-01" } },
      ] as const),
      ...([400, -32022, { supported: [REVISION], requested: "2099-01-01" }] as const),
    ],
    ["a header without an envelope", { method: "tools/list", meta: null }, 400, -32602],
    ["an envelope without a revision", { method: "tools/list", meta: unnamed }, 400, -32602],
    ["an envelope without a header", { method: "tools/list", headers: { "mcp-protocol-version": null } }, 400, -32020],
    [
      "another revision's header",
      { method: "tools/list", headers: { "mcp-protocol-version": "2025-11-25" } },
      400,
      -32020,
    ],
    ["no header of the method", { method: "tools/list", headers: { "mcp-method": null } }, 400, -32020],
    ["a header of another method", { method: "tools/list", headers: { "mcp-method": "ping" } }, 400, -32020],
    ["no header of the name", { ...call, headers: { "mcp-name": null } }, 400, -32020],
    ["a header of another tool", { ...call, headers: { "mcp-name": "get_cred" } }, 400, -32020],
    ["a method it has not", { method: "no/such/method" }, 404, -32601],
    ["a method that the revision took away", { method: "initialize" }, 404, -32601],
    ["a subscription, for nothing changes", { method: "subscriptions/listen" }, 404, -32601],
    ["a tool it has not", { method: "tools/call", params: { name: "mint", arguments: {} } }, 200, -32602],
  ];
  it.each(refused)("refuses %s", async (_what, sent, status, code, data) => {
    const answer = await send({ id: "a", ...sent });
    expect(answer).toMatchObject({ status, body: { jsonrpc: "2.0", id: "a", error: { code, ...(data && { data }) } } });
  });

  it("tells a client of the revisions before which ones there are", async () =>
    expect(
      await api.write(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { "mcp-protocol-version": "1999-01-01" },
      ),
    ).toMatchObject(
      answering(400, {
        error: { code: -32022, data: { supported: expect.arrayContaining([REVISION, "2025-11-25"]) } },
      }),
    ));

  it("takes a notification with 202, and no body", async () =>
    expect(
      await api.send("POST", "/mcp", {
        headers: {
          ...{ "content-type": "application/json", "mcp-protocol-version": REVISION },
          "mcp-method": "notifications/cancelled",
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", method: "notifications/cancelled" },
          params: { requestId: 1, _meta: META },
        }),
      }),
    ).toMatchObject({ status: 202, text: "" }));

  it("is named by the server card, before the others", async () =>
    expect((await api.get("/.well-known/mcp.json")).body).toMatchObject({
      protocolVersion: REVISION,
      remotes: [{ supportedProtocolVersions: expect.arrayContaining([REVISION, "2025-06-18"]) }],
    }));

  it("answers pages of other origins, with the headers it asks for", async () => {
    const { headers } = await api.send("OPTIONS", "/mcp", {
      headers: { origin: "https://elsewhere.test", "access-control-request-method": "POST" },
    });
    const allowed = headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["mcp-protocol-version", "mcp-method", "mcp-name"]));
  });
});
