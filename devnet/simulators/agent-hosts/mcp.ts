/** An MCP server over streamable HTTP without sessions, as the simulated hosts run it. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Context } from "hono";

export type HostTool = Tool & { run(input: Record<string, unknown>): object };

/** The handler of the server's one address. @param json answers with JSON; otherwise with a stream of events */
export const mcpServer =
  (name: string, tools: readonly HostTool[], { json = false } = {}) =>
  async (c: Context): Promise<Response> => {
    const server = new Server({ name, version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(({ run: _, ...tool }) => tool) }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = tools.find((each) => each.name === params.name);
      if (!tool) throw new Error(`there is no tool ${params.name}`);
      return { content: [{ type: "text", text: JSON.stringify(tool.run(params.arguments ?? {})) }] };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: json });
    await server.connect(transport);
    return transport.handleRequest(c.req.raw);
  };
