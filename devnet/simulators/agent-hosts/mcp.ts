/** An MCP server over streamable HTTP without sessions, as the simulated hosts run it: the newest revision and those before it. */
import { createMcpHandler, Server, type Tool } from "@modelcontextprotocol/server";
import type { Context } from "hono";

export type HostTool = Tool & { run(input: Record<string, unknown>): object };

/** The handler of the server's one address. @param legacy whether it speaks revisions before 2026-07-28 too */
export function mcpServer(name: string, tools: readonly HostTool[], { legacy = true } = {}) {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name, version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ run: _, ...tool }) => tool) }));
      server.setRequestHandler("tools/call", ({ params }) => {
        const tool = tools.find((each) => each.name === params.name);
        if (!tool) throw new Error(`there is no tool ${params.name}`);
        return { content: [{ type: "text", text: JSON.stringify(tool.run(params.arguments ?? {})) }] };
      });
      return server;
    },
    { legacy: legacy ? "stateless" : "reject", maxSubscriptions: 0 },
  );
  return (c: Context): Promise<Response> => handler.fetch(c.req.raw);
}
