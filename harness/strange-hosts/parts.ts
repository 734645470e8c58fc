/** What planted hosts are made of: their form, and the cards, MCP servers and demands for payment that several of them serve. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { SourceKind } from "../../core/offers/source-kinds.ts";
import { attempt } from "../../devnet/attempt.ts";

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A host of one agent. `serve` answers its requests; `raw` writes to the socket itself, once a request's head has come. */
export type StrangeHost = {
  name: string;
  kind: SourceKind;
  /** Of the endpoint that its agent names. */
  path: string;
} & ({ serve: Serve } | { raw: (socket: Socket, head: string) => void });

/** A host that a mainstream client of its protocol reads, and the names of its offers. */
export type RightHost = StrangeHost & { offers: string[] };

/** Hosts of one kind, by what each serves; path and offers are those below where a host has no others. */
const right =
  (kind: SourceKind, path: string, offers: string[]) =>
  (name: string, serve: Serve, others: { path?: string; offers?: string[] } = {}): RightHost => ({
    ...{ kind, path, offers, name, serve },
    ...others,
  });
export const cardHost = right("agent_card", "/card.json", ["Sum"]);
export const mcpHost = right("mcp", "/mcp", ["quote"]);
export const paidHost = right("x402", "/quote", ["Quotes"]);

/** A host that means harm. `endless`: it is ended by limits of time only. */
export type HostileHost = StrangeHost & { endless?: true; mostOffers: number };

/** Those of one kind, by what each serves; it gives nothing at the path below unless others are given. */
const hostile =
  (kind: SourceKind, path: string) =>
  (name: string, serve: Serve, others: { path?: string; endless?: true; mostOffers?: number } = {}): HostileHost => ({
    ...{ kind, path, mostOffers: 0, name, serve },
    ...others,
  });
export const hostileCard = hostile("agent_card", "/card.json");
export const hostileMcp = hostile("mcp", "/mcp");
export const hostilePaid = hostile("x402", "/q");

export const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

export const skills = (...names: string[]) => names.map((name) => ({ id: name, name, description: `${name}s.` }));
export const card = (...names: string[]) => ({
  name: "A",
  description: "An agent.",
  url: "https://a.example/a2a",
  skills: skills(...names),
});

/** Answers by path; 404 elsewhere. */
export const at =
  (places: Record<string, Serve>): Serve =>
  (request, response) => {
    const place = places[request.url!.split("?")[0]!];
    if (place) place(request, response);
    else response.writeHead(404).end();
  };
/** Answers everything alike. @param body an object is sent as JSON */
export function fixed(body: string | Buffer | object, headers: Record<string, string> = {}, status = 200): Serve {
  const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(bytes);
}
export const to =
  (status: number, location: string): Serve =>
  (_, response) =>
    void response.writeHead(status, { location }).end();

export type Message = {
  id?: number;
  method: string;
  params?: { cursor?: string; protocolVersion?: string; _meta?: Record<string, unknown> };
};
/** The message of a request, once its body has come. */
export function messageOf(request: IncomingMessage, then: (message: Message) => void): void {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece) => (text += piece));
  request.on("end", () => then(attempt(() => JSON.parse(text) as Message, { method: "" })));
}

export const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));
/** What `tools/list` gives: one tool, or two of them in two pages. */
export const quoteTool = () => ({ tools: tools("quote") });
export const twoPages = (cursor: string | undefined) =>
  cursor ? { tools: tools("second") } : { tools: tools("first"), nextCursor: "2" };
export const resultOf = (id: number | undefined, result: unknown) => ({ jsonrpc: "2.0", id, result });
export const errorOf = (id: number | undefined, code: number) => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message: "no" },
});

export type McpServer = {
  /** Result of `tools/list`. */
  list: (cursor: string | undefined) => unknown;
  /** How an answer is written; as JSON by default. */
  reply?: (response: ServerResponse, message: object, headers: Record<string, string>) => void;
  version?: string;
  session?: string;
  /** Answers the notification; with 202 by default. */
  notified?: (response: ServerResponse) => void;
};

/** An MCP server of the revisions that begin with `initialize`. */
export const mcpServer =
  ({ list, reply = (to, message, headers) => json(to, message, 200, headers), ...options }: McpServer): Serve =>
  (request, response) => {
    const { version = "2025-06-18", session, notified = (to) => void to.writeHead(202).end() } = options;
    if (request.method !== "POST") return void response.writeHead(405).end();
    messageOf(request, ({ id, method, params }) => {
      const begins = method === "initialize";
      if (session && !begins && request.headers["mcp-session-id"] !== session)
        return json(response, errorOf(id, -32_000), 400);
      if (id === undefined) return notified(response);
      const info = { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
      reply(response, resultOf(id, begins ? info : list(params?.cursor)), session ? { "mcp-session-id": session } : {});
    });
  };

/** Answers with a stream of events. @param form the stream of a message as JSON */
export const streaming =
  (form: (text: string) => string, type = "text/event-stream"): NonNullable<McpServer["reply"]> =>
  (response, message, headers) =>
    void response.writeHead(200, { "content-type": type, ...headers }).end(form(JSON.stringify(message)));

const NEWEST = "2026-07-28";
/** An MCP server of revision 2026-07-28 alone: it knows no `initialize`, and each request says its revision in header and envelope. */
export const newestServer =
  (list: (cursor: string | undefined) => object): Serve =>
  (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    messageOf(request, ({ id, method, params }) => {
      const said = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
      if (said !== NEWEST || request.headers["mcp-protocol-version"] !== NEWEST)
        return json(response, errorOf(id, -32_022), 400);
      if (method !== "tools/list") return json(response, errorOf(id, -32_601), 404);
      json(
        response,
        resultOf(id, { resultType: "complete", ttlMs: 0, cacheScope: "private", ...list(params?.cursor) }),
      );
    });
  };

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PAY_TO = `0x${"1".repeat(40)}`;
/** Terms of a payment, version 2. */
export const termsV2 = (name: string, more: object = {}) => ({
  x402Version: 2,
  serviceName: name,
  accepts: [{ scheme: "exact", network: "eip155:8453", asset: USDC, amount: "2500", payTo: PAY_TO, ...more }],
});
/** Terms of a payment, version 1. */
export const termsV1 = (name: string, more: object = {}) => ({
  x402Version: 1,
  error: "X-PAYMENT header is required",
  serviceName: name,
  accepts: [
    { scheme: "exact", network: "base", asset: USDC, maxAmountRequired: "2500", payTo: PAY_TO, resource: "r", ...more },
  ],
});
/** A megabyte less a little, of one piece again and again. */
const BYTES = 2 ** 20 - 100;
export const filled = (begin: string, piece: string, end = "") =>
  `${begin}${piece.repeat((BYTES - begin.length - end.length) / Buffer.byteLength(piece))}${end}`;

/** Writes a piece again and again, as fast as it is read or at a pace, until the client goes. */
export function again(
  to: { write(piece: string | Buffer): boolean; once(event: string, done: () => void): unknown },
  piece: string | Buffer,
  everyMs = 0,
): void {
  let gone = false;
  to.once("close", () => (gone = true));
  const write = (): void => {
    if (gone) return;
    const open = to.write(piece);
    if (everyMs > 0) setTimeout(write, everyMs).unref();
    else if (open) setImmediate(write);
    else to.once("drain", write);
  };
  write();
}

/** Answers with a piece again and again. */
export const endless =
  (headers: Record<string, string>, piece: string | Buffer, everyMs = 0): Serve =>
  (_, response) =>
    again(response.writeHead(200, headers), piece, everyMs);
