/** Clients of the agent protocols: MCP and A2A. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Client, Load } from "../client.ts";
import type { McpClient } from "../page/window.ts";
import type { World } from "../world.ts";

async function usesTools(world: World, { Client: Sdk, StreamableHTTPClientTransport }: McpClient, path: string) {
  const client = new Sdk({ name: "unchanged", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(path, world.apiUrl)));
  try {
    const { tools } = await client.listTools();
    // A model sees nothing of a tool but this.
    for (const { name, inputSchema } of tools)
      assert.ok(Object.keys(inputSchema.properties ?? {}).length > 0, `${name} lists no argument`);
    const { structuredContent } = await client.callTool({ name: "get_agent", arguments: { ref: world.agent } });
    assert.equal((structuredContent as { tokenId: number }).tokenId, world.agent);
    const found = await client.callTool({ name: "search_agents", arguments: { q: "First" } });
    assert.ok(!found.isError);
    return `listed ${tools.length} tools with their arguments, called two, at ${path}`;
  } finally {
    await client.close();
  }
}

async function sdkOf(load: Load): Promise<McpClient> {
  const { Client: Sdk } = await load<Pick<McpClient, "Client">>("@modelcontextprotocol/sdk/client/index.js");
  const transport = await load<Pick<McpClient, "StreamableHTTPClientTransport">>(
    "@modelcontextprotocol/sdk/client/streamableHttp.js",
  );
  return { Client: Sdk, ...transport };
}

/** Calls every tool that takes a reference as a host of models does that adds what it knows of the conversation. */
async function addsItsOwn(world: World, { Client: Sdk, StreamableHTTPClientTransport }: McpClient): Promise<string> {
  const client = new Sdk({ name: "workflow host", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", world.apiUrl)));
  const added = { toolCallId: "call_0001", sessionId: "s-1", action: "sendMessage", chatInput: "Who is it?" };
  try {
    for (const name of ["get_agent", "get_cred"]) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: { ref: world.agent, ...added } });
      assert.ok(!isError, `${name} refused what the host adds`);
      assert.equal((structuredContent as { tokenId: number }).tokenId, world.agent);
    }
    return `called two tools with ${Object.keys(added).join(", ")} beside their arguments`;
  } finally {
    await client.close();
  }
}

type Ajv = { compile(schema: object): unknown };
type AjvModule = { Ajv2020: new (options: object) => Ajv };

/** Compiles the schemas of all tools with no keyword unknown, as strict readers do before they offer them to a model. */
async function readsSchemas(world: World, { Ajv2020 }: AjvModule, formats: (ajv: Ajv) => void): Promise<string> {
  const response = await fetch(`${world.apiUrl}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result } = (await response.json()) as { result: { tools: { inputSchema: object; outputSchema: object }[] } };
  for (const { inputSchema, outputSchema } of result.tools)
    for (const schema of [inputSchema, outputSchema]) {
      const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
      formats(ajv);
      ajv.compile(schema);
    }
  return `compiled what ${result.tools.length} tools take and answer, strictly`;
}

/** Tools that a plain sentence can ask for, each with one and what shows that it was understood. */
const asked = (world: World): [text: string, shows: RegExp][] => [
  [`Who is agent ${world.agent}?`, new RegExp(`"tokenId":${world.agent}\\b`)],
  [`How far can I trust agent ${world.agent}?`, /"credScore":\d+|"score":\d+/],
  ["Which ten agents have the best cred?", /"tokenId":/],
];

/** Asks in words by `ask`, which gives the answer's text. */
async function asksInWords(world: World, ask: (text: string) => Promise<string>): Promise<string> {
  const questions = asked(world);
  for (const [text, shows] of questions) assert.match(await ask(text), shows, text);
  return `read the card, asked ${questions.length} questions in plain words`;
}

type Factory = { ClientFactory: new () => { createFromUrl(url: string): Promise<A2a> } };
type A2a = { sendMessage(params: object): Promise<unknown> };

export const PROTOCOL_CLIENTS: Client[] = [
  {
    name: "MCP SDK",
    package: "@modelcontextprotocol/sdk",
    quick: true,
    run: async (world, load) => usesTools(world, await sdkOf(load), "/mcp"),
  },
  {
    name: "MCP SDK by the other path",
    package: "@modelcontextprotocol/sdk",
    quick: true,
    run: async (world, load) => usesTools(world, await sdkOf(load), "/api/mcp"),
  },
  {
    name: "MCP SDK in a host that adds arguments",
    package: "@modelcontextprotocol/sdk",
    quick: true,
    run: async (world, load) => addsItsOwn(world, await sdkOf(load)),
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
  {
    name: "MCP client of version 2",
    package: "@modelcontextprotocol/client",
    run: async (world, load) => usesTools(world, await load<McpClient>("@modelcontextprotocol/client"), "/mcp"),
  },
  {
    name: "a2a-js",
    package: "@a2a-js/sdk",
    alias: "a2a-js-0.3",
    async run(world, load) {
      const { ClientFactory } = await load<Factory>("a2a-js-0.3/client");
      const client = await new ClientFactory().createFromUrl(world.apiUrl);
      return asksInWords(world, async (text) => {
        const message = { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }] };
        return JSON.stringify(await client.sendMessage({ message }));
      });
    },
  },
  {
    name: "a2a-js",
    package: "@a2a-js/sdk",
    async run(world, load) {
      const { ClientFactory } = await load<Factory>("@a2a-js/sdk/client");
      const { Role } = await load<{ Role: { ROLE_USER: number } }>("@a2a-js/sdk");
      const client = await new ClientFactory().createFromUrl(world.apiUrl);
      return asksInWords(world, async (text) => {
        const part = { content: { $case: "text", value: text }, filename: "", mediaType: "text/plain" };
        const message = {
          ...{ messageId: randomUUID(), contextId: "", taskId: "", role: Role.ROLE_USER, parts: [part] },
          ...{ extensions: [], referenceTaskIds: [] },
        };
        return JSON.stringify(await client.sendMessage({ tenant: "", message }));
      });
    },
  },
];
