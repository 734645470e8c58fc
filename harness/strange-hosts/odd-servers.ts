/** MCP servers that are odd but right: how their streams are written, what they demand, and the transports before and after. */
import type { ServerResponse } from "node:http";
import { brotliCompressSync } from "node:zlib";
import {
  at,
  errorOf,
  json,
  type McpServer,
  type Message,
  mcpHost,
  mcpServer,
  messageOf,
  newestServer,
  quoteTool,
  type RightHost,
  resultOf,
  type Serve,
  streaming,
  tools,
  twoPages,
} from "./parts.ts";

const mcp = (name: string, server: Partial<McpServer>, offers?: string[]): RightHost =>
  mcpHost(name, mcpServer({ list: quoteTool, ...server }), offers && { offers });
const written =
  (headers: Record<string, string>, form: (message: object) => string | Buffer): NonNullable<McpServer["reply"]> =>
  (response, message, more) =>
    void response.writeHead(200, { ...headers, ...more }).end(form(message));

const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
const inLines = (text: string) =>
  text
    .replaceAll(/([{,])/g, "$1\n")
    .split("\n")
    .map((line) => `data: ${line}`)
    .join("\r\n");

const STREAMS: RightHost[] = [
  mcp("stream with comments, CRLF, lines and notes", {
    reply: streaming(
      (text) =>
        `: hello\r\n\r\nid: 0\r\ndata:\r\n\r\nretry: 9\r\ndata: ${note}\r\n\r\nevent: message\r\n${inLines(text)}\r\n\r\n`,
    ),
  }),
  mcp("stream of CR alone under upper case", {
    reply: streaming((text) => `event: message\rdata: ${text}\r\r`, "TEXT/EVENT-STREAM; Charset=UTF-8"),
  }),
  mcp("stream with a byte order mark and no last blank line", { reply: streaming((text) => `\ufeffdata: ${text}`) }),
  mcp("stream that stays open behind its answer", {
    reply(response, message, headers) {
      response.writeHead(200, { "content-type": "text/event-stream", ...headers });
      response.write(`: ping\n\nevent: message\ndata: ${JSON.stringify(message)}\n\n`);
    },
  }),
  mcp("stream in br", {
    reply: written({ "content-type": "text/event-stream", "content-encoding": "br" }, (message) =>
      brotliCompressSync(`data: ${JSON.stringify(message)}\n\n`),
    ),
  }),
];

const WAYS: RightHost[] = [
  mcp("JSON answered as text/plain", { reply: written({ "content-type": "text/plain" }, JSON.stringify) }),
  mcp("APPLICATION/JSON in a batch", {
    reply: written({ "content-type": "APPLICATION/JSON" }, (message) =>
      JSON.stringify([{ jsonrpc: "2.0", method: "notifications/x" }, message]),
    ),
  }),
  mcp(
    "pages with broken and good tools",
    {
      list: (cursor) =>
        cursor
          ? { tools: [{ inputSchema: {} }, ...tools("second")] }
          : { tools: [null, { name: 7 }, ...tools("first"), "x"], nextCursor: "p2" },
    },
    ["first", "second"],
  ),
  mcp("a session in upper case of a stream", { session: "A~b!c-9", reply: streaming((text) => `data: ${text}\n\n`) }),
  mcp("the notification is 404", { notified: (response) => void response.writeHead(404).end() }),
  mcp("the notification is 204", { notified: (response) => void response.writeHead(204).end() }),
  mcp("the notification is 200 with null", { notified: (response) => json(response, null) }),
  mcp("the notification is a stream that stays open", {
    notified: (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n"),
  }),
  mcp("initialize answered with 201", {
    reply: (response, message, headers) => json(response, message, 201, headers),
  }),
  mcp("ids as texts", {
    reply: (response, message, headers) =>
      json(response, { ...message, id: String((message as { id: number }).id) }, 200, headers),
  }),
  mcpHost("revision 2026-07-28 alone", newestServer(twoPages), { offers: ["first", "second"] }),
  mcpHost(
    "initialize 400 before 2026-07-28, GET a stream that says nothing",
    (request, response) =>
      request.method === "GET"
        ? void response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n")
        : newestServer(quoteTool)(request, response),
    { path: "/" },
  ),
];

type OldServer = { posted?: number; form?: (text: string) => string; list?: McpServer["list"] };

/** A server of the transport before 2025-03-26: its answers come on the stream that a GET opened. */
function oldServer({
  posted = 202,
  list = quoteTool,
  form = (text) => `event: message\ndata: ${text}\n\n`,
}: OldServer = {}) {
  const streams = new Map<string, ServerResponse>();
  const open = (response: ServerResponse): void => {
    const id = String(streams.size + 1);
    streams.set(id, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
  };
  const answer = (stream: ServerResponse, { id, method, params }: Message): void => {
    if (id === undefined) return;
    const info = {
      ...{ protocolVersion: "2024-11-05", capabilities: { tools: {} } },
      serverInfo: { name: "s", version: "1" },
    };
    const said =
      method === "initialize"
        ? resultOf(id, info)
        : method === "tools/list"
          ? resultOf(id, list(params?.cursor))
          : errorOf(id, -32_601);
    stream.write(form(JSON.stringify(said)));
  };
  const post: Serve = (request, response) =>
    messageOf(request, (message) => {
      const stream = streams.get(new URL(request.url!, "http://x").searchParams.get("session") ?? "");
      if (!stream) return void response.writeHead(404).end("no session");
      response.writeHead(posted).end(posted === 204 ? undefined : "Accepted");
      answer(stream, message);
    });
  return { open, post };
}

function oldHost(
  name: string,
  { anyMethod, offers = ["quote"], ...options }: OldServer & { anyMethod?: true; offers?: string[] } = {},
): RightHost {
  const { open, post } = oldServer(options);
  const serve = at({
    "/sse": (request, response) =>
      request.method === "GET" || anyMethod ? open(response) : void response.writeHead(405).end(),
    "/messages": post,
  });
  return mcpHost(name, serve, { path: "/sse", offers });
}

const OLD: RightHost[] = [
  oldHost("HTTP with SSE"),
  oldHost("HTTP with SSE in pages, its answers 200", { posted: 200, list: twoPages, offers: ["first", "second"] }),
  oldHost("HTTP with SSE that opens a stream to a POST too, CRLF", {
    form: (text) => `: note\r\n\r\ndata: ${note}\r\n\r\nevent: message\r\ndata: ${text}\r\n\r\n`,
    anyMethod: true,
  }),
];

export const ODD_SERVERS: readonly RightHost[] = [...STREAMS, ...WAYS, ...OLD];
