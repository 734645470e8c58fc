/**
 * Uses the service's tools over MCP, with the protocol's own client: `npx node examples/mcp-client.ts meridian` searches
 * agents with this name and reads the score of the best. The second argument is the service's URL, the local stack's by
 * default.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [q = "", service = "http://localhost:4000"] = process.argv.slice(2);

const client = new Client({ name: "example", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", service)));

const { tools } = await client.listTools();
console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);

// What a tool answers is JSON in the first text.
const ask = async (name: string, args: Record<string, unknown>) => {
  const { isError, content } = await client.callTool({ name, arguments: args });
  const text = content[0]?.type === "text" ? content[0].text : "";
  if (isError) throw new Error(text);
  return JSON.parse(text) as never;
};

const { total, agents }: { total: number; agents: { tokenId: number; name: string }[] } = await ask("search_agents", {
  q,
  limit: 3,
});
console.log(
  total === 0 ? `no agent named ${q}` : `${total} agents, the best: ${agents.map(({ name }) => name).join(", ")}`,
);
const [best] = agents;
if (best) {
  const { credScore, tierLabel }: { credScore: number; tierLabel: string } = await ask("get_cred", {
    ref: best.tokenId,
  });
  console.log(`${best.name} has ${credScore} of 100 points: ${tierLabel}`);
}
await client.close();
