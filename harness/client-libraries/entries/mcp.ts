/** Clients of the Model Context Protocol, of both versions of its SDK, and what judges a server by the specification. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { VersionNegotiationMode } from "@modelcontextprotocol/client";
import { childEnvironment } from "../../../config/config.ts";
import { jsonRequest } from "../../json-request.ts";
import { scratchDirectory } from "../../scratch.ts";
import { by, type Client, type Load, PACKAGES } from "../client.ts";
import type { McpClient } from "../page/window.ts";
import type { World } from "../world.ts";

type Connected = InstanceType<McpClient["Client"]>;
/** @param how.mode which revisions the client may speak: as it comes, those before 2026-07-28 */
async function connected(
  { apiUrl }: World,
  { Client: Sdk, StreamableHTTPClientTransport }: McpClient,
  { path, mode }: { path: string; mode?: VersionNegotiationMode | undefined },
  use: (client: Connected) => Promise<string>,
): Promise<string> {
  const client = new Sdk({ name: "unchanged", version: "1.0.0" }, mode && { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(path, apiUrl)));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The token id of the agent that a tool's answer is about: JSON in the first text. */
const tokenIn = (content: unknown): number => JSON.parse((content as { text: string }[])[0]!.text).tokenId;

const usesTools = (world: World, sdk: McpClient, path: string, mode?: VersionNegotiationMode) =>
  connected(world, sdk, { path, mode }, async (client) => {
    const { tools } = await client.listTools();
    // A model sees nothing of a tool but this.
    for (const { name, inputSchema } of tools)
      assert.ok(Object.keys(inputSchema.properties ?? {}).length > 0, `${name} lists no argument`);
    const { content } = await client.callTool({ name: "get_agent", arguments: { ref: world.agent } });
    assert.equal(tokenIn(content), world.agent);
    const found = await client.callTool({ name: "search_agents", arguments: { q: "First" } });
    assert.ok(!found.isError);
    const revision = mode && client.getNegotiatedProtocolVersion();
    if (mode) assert.equal(revision, "2026-07-28");
    return `listed ${tools.length} tools with their arguments, called two, at ${path}${mode ? ` by ${revision}` : ""}`;
  });

/** Version 1 of the SDK, which has no name for the newest revision. */
async function firstSdk(load: Load): Promise<McpClient> {
  const { Client: Sdk } = await load<Pick<McpClient, "Client">>("@modelcontextprotocol/sdk/client/index.js");
  const transport = await load<Pick<McpClient, "StreamableHTTPClientTransport">>(
    "@modelcontextprotocol/sdk/client/streamableHttp.js",
  );
  return { Client: Sdk, ...transport };
}

/** Calls every tool that takes a reference as a host of models does that adds what it knows of the conversation. */
const addsItsOwn = (world: World, sdk: McpClient): Promise<string> =>
  connected(world, sdk, { path: "/mcp" }, async (client) => {
    const added = { toolCallId: "call_0001", sessionId: "s-1", action: "sendMessage", chatInput: "Who is it?" };
    for (const name of ["get_agent", "get_cred"]) {
      const { isError, content } = await client.callTool({ name, arguments: { ref: world.agent, ...added } });
      assert.ok(!isError, `${name} refused what the host adds`);
      assert.equal(tokenIn(content), world.agent);
    }
    return `called two tools with ${Object.keys(added).join(", ")} in addition to their arguments`;
  });

/** Asks for every list in the order in which Cline does when it connects: an error in one of them shows the server as failed. */
const listsAll = (world: World, sdk: McpClient): Promise<string> =>
  connected(world, sdk, { path: "/mcp" }, async (client) => {
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    assert.deepEqual([resources, resourceTemplates, prompts], [[], [], []]);
    return `listed ${tools.length} tools, no resources, no templates of resources, no prompts`;
  });

type Ajv = { compile(schema: object): unknown };
type AjvModule = { Ajv2020: new (options: object) => Ajv };

/** Compiles the schemas of all tools with no keyword unknown, as strict readers do before they offer them to a model. */
async function readsSchemas(world: World, { Ajv2020 }: AjvModule, formats: (ajv: Ajv) => void): Promise<string> {
  const tools = await listTools(`${world.apiUrl}/mcp`);
  for (const { inputSchema } of tools) {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    formats(ajv);
    ajv.compile(inputSchema);
  }
  return `compiled what ${tools.length} tools take, strictly`;
}

/** The tools of a server, by one POST without a session. */
export async function listTools(url: string): Promise<{ inputSchema: object }[]> {
  const accept = "application/json, text/event-stream";
  const list = jsonRequest("POST", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { accept });
  const { result } = (await (await fetch(url, list)).json()) as { result: { tools: [] } };
  return result.tools;
}

/**
 * The scenarios of the conformance suite that a server with tools alone has to pass, by revision. The others ask for
 * tools of the suite's own, prompts, resources, sessions, or an endpoint that only pages of localhost may call: this
 * one is open to every page (api/routes/mcp.ts says why).
 */
const SCENARIOS = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "server-session-lifecycle"],
  "2026-07-28": [
    ...["server-stateless", "http-header-validation", "tools-list", "caching", "server-sse-multiple-streams"],
    "input-required-result-unsupported-methods",
  ],
};

/** Checks of these scenarios that need what only the suite's own server has: tools to diagnose it by, prompts, resources. */
const ELSEWHERE = [
  ...["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"],
  ...["sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel"],
  ...["sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints"],
  "sep-2549-resources-templates-list-caching-hints",
];

type Check = { id: string; status: string; errorMessage?: string };

/** One scenario, by the suite's own program. @returns its checks that succeeded @throws Error of one that failed */
async function conformsIn(world: World, revision: string, scenario: string): Promise<string[]> {
  const program = join(PACKAGES, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const results = scratchDirectory("conformance");
  try {
    const asked = ["--url", `${world.apiUrl}/mcp`, "--scenario", scenario, "--spec-version", revision];
    // It ends with an error when a check failed, and its file says which.
    const ended = promisify(execFile)(process.execPath, [program, "server", ...asked, "-o", results]);
    const printed = await ended.then(({ stdout }) => stdout).catch((error: { stdout: string }) => error.stdout);
    const [folder] = readdirSync(results);
    assert.ok(folder, `${scenario} left no result: ${printed.slice(0, 1_000)}`);
    const checks: Check[] = JSON.parse(readFileSync(join(results, folder, "checks.json"), "utf8"));
    const failed = checks.filter(({ id, status }) => status === "FAILURE" && !ELSEWHERE.includes(id));
    assert.deepEqual(failed, [], `${scenario} by ${revision}`);
    return checks.filter(({ status }) => status === "SUCCESS").map(({ id }) => id);
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

async function conforms(world: World): Promise<string> {
  const passed: string[] = [];
  for (const [revision, scenarios] of Object.entries(SCENARIOS))
    for (const scenario of scenarios) passed.push(...(await conformsIn(world, revision, scenario)));
  assert.ok(passed.length > 40, `only ${passed.length} checks were made`);
  return `passed ${passed.length} checks of ${Object.values(SCENARIOS).flat().length} scenarios`;
}

/** Calls the server as a person does who looks at it with the Inspector. */
async function inspects(world: World): Promise<string> {
  const program = join(PACKAGES, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const home = scratchDirectory("inspector");
  const ask = async (...words: string[]) => {
    const all = [program, "--cli", `${world.apiUrl}/mcp`, "--transport", "http", "--method", ...words];
    const env = { ...childEnvironment({}).all, HOME: home, MCP_CATALOG_PATH: join(home, "mcp.json") };
    return JSON.parse((await promisify(execFile)(process.execPath, all, { env, cwd: home })).stdout);
  };
  try {
    const { tools } = await ask("tools/list");
    assert.ok(tools.some(({ name }: { name: string }) => name === "get_agent"));
    const called = await ask("tools/call", "--tool-name", "get_agent", "--tool-arg", `ref=${world.agent}`);
    assert.equal(tokenIn(called.content), world.agent);
    return `listed ${tools.length} tools and called one`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const byFirst = (name: string, use: (world: World, sdk: McpClient) => Promise<string>): Client => ({
  ...{ name, package: "@modelcontextprotocol/sdk" },
  run: async (world, load) => use(world, await firstSdk(load)),
});
const bySecond = (name: string, path: string, mode?: VersionNegotiationMode): Client =>
  by({ name, package: "@modelcontextprotocol/client", quick: true }, (world, sdk: McpClient) =>
    usesTools(world, sdk, path, mode),
  );

export const MCP_CLIENTS: Client[] = [
  byFirst("MCP SDK 1", (world, sdk) => usesTools(world, sdk, "/mcp")),
  byFirst("MCP SDK 1 in a host that adds arguments", addsItsOwn),
  byFirst("MCP SDK 1 in Cline's order", listsAll),
  bySecond("MCP SDK 2 by the other path", "/api/mcp"),
  bySecond("MCP SDK 2 that discovers", "/mcp", "auto"),
  bySecond("MCP SDK 2 of the newest revision alone", "/mcp", { pin: "2026-07-28" }),
  {
    name: "MCP Inspector",
    package: "@modelcontextprotocol/inspector",
    run: inspects,
  },
  {
    name: "MCP conformance suite",
    package: "@modelcontextprotocol/conformance",
    run: conforms,
  },
  {
    name: "Ajv, strict",
    package: "ajv",
    quick: true,
    async run(world, load) {
      const { default: formats } = await load<{ default: (ajv: Ajv) => void }>("ajv-formats");
      return readsSchemas(world, await load<AjvModule>("ajv/dist/2020.js"), formats);
    },
  },
];
