/** Agent cards and answers of A2A, as the simulated hosts serve them. */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { reply } from "../simulator.ts";

export type Skill = { id: string; name: string; description: string; tags: string[]; examples: string[] };

/** An A2A agent: its card with an ETag, and `message/send` over JSON-RPC at `/a2a`. */
export function a2aAgent(
  url: string,
  { name, description, skills }: { name: string; description: string; skills: Skill[] },
  answer: (text: string) => string,
): Hono {
  const card = {
    protocolVersion: "0.3.0",
    name,
    description,
    url: `${url}/a2a`,
    preferredTransport: "JSONRPC",
    version: "1.0.0",
    capabilities: { streaming: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills,
  };
  const etag = `"${createHash("sha1").update(JSON.stringify(card)).digest("base64url")}"`;
  const app = new Hono();
  app.get("/.well-known/agent-card.json", (c) =>
    c.req.header("if-none-match") === etag ? reply(undefined, 304, { etag }) : reply(card, 200, { etag }),
  );
  app.post("/a2a", async (c: Context) => {
    const { id = null, method, params } = await c.req.json();
    if (method !== "message/send")
      return reply({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
    const parts = (params?.message?.parts ?? []) as { text?: string }[];
    const text = answer(parts.map((part) => part.text ?? "").join("\n"));
    return reply({
      jsonrpc: "2.0",
      id,
      result: { kind: "message", role: "agent", messageId: crypto.randomUUID(), parts: [{ kind: "text", text }] },
    });
  });
  return app;
}
