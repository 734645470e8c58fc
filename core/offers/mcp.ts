/** Reads the tools of MCP servers that answer without credentials, over streamable HTTP. No tool is called. */
import { parseForeignJson } from "../foreign-json.ts";
import { listOf, MAX_OFFERS, type Offer, offersOf, type RawOffer } from "./offer.ts";
import { type EndpointAnswer, type OfferReader, type Reading, type Send, withoutContent } from "./reader.ts";

/** Of `initialize`, which most servers speak. */
const PROTOCOL_VERSION = "2025-06-18";
/** Max pages of `tools/list`: a server may name a next page for ever. */
const MAX_PAGES = 5;
const MAX_CURSOR = 1_000;
/** Max events of a stream that are parsed: a message that is no JSON costs more than one that is. */
const MAX_EVENTS = 256;

type Json = Record<string, unknown>;
/** Where a server answers, and what goes with every request: headers, and of revision 2026-07-28 an envelope in the body too. */
type Session = { url: string; headers: Record<string, string>; envelope?: object };

const CLIENT = { name: "agent directory", version: "1" };

/** A server of revision 2026-07-28 alone has no `initialize`, and is asked at once. */
const NEWEST: Omit<Session, "url"> = {
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
  envelope: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

export const mcp: OfferReader = {
  async read(url, send) {
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT };
    const begin = { session: { url, headers: {} }, id: 1, method: "initialize", params };
    const first = await call(send, begin, sessionOf);
    if ("kind" in first) {
      if (first.kind !== "unreadable") return first;
      if (await hasOldTransport(url, send)) return OLD_TRANSPORT;
      const newest = await toolsOf(url, send, { url, ...NEWEST });
      return newest.kind === "unreadable" ? first : newest;
    }
    await send(message(first.value, { method: "notifications/initialized" }), () => {});
    return toolsOf(url, send, first.value);
  },
};

async function toolsOf(url: string, send: Send, session: Session): Promise<Reading> {
  const offers: Offer[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && offers.length < MAX_OFFERS; page++) {
    const params = { ...(cursor !== undefined && { cursor }), ...session.envelope };
    const listed = await call(send, { session, id: 2 + page, method: "tools/list", params }, (result) => ({
      tools: offersOf(listOf(result.tools).map((tool) => offerOfTool(tool, url))),
      next: result.nextCursor,
    }));
    // What was read before stands when a later page cannot be had.
    if ("kind" in listed) {
      if (page === 0) return listed;
      break;
    }
    const { tools, next } = listed.value;
    offers.push(...tools);
    if (typeof next !== "string" || next === "" || next.length > MAX_CURSOR || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return { kind: "offers", offers: offers.slice(0, MAX_OFFERS), etag: null, lastModified: null };
}

const OLD_TRANSPORT: Reading = {
  kind: "nothing",
  why: "It speaks the older transport of MCP (HTTP with SSE), whose tools are not read.",
};

/** Whether a server answers a GET with a stream of events, as the transport before 2025-03-26 begins: it lives. */
async function hasOldTransport(url: string, send: Send): Promise<boolean> {
  const request = { url, headers: { accept: "text/event-stream" }, headOnly: true };
  return send(request, ({ status, headers }) => status === 200 && isStream(headers));
}

function offerOfTool({ name, title, description, inputSchema }: Json, endpoint: string): RawOffer {
  const said = [title, description].filter((text) => typeof text === "string" && text !== "" && text !== name);
  return { kind: "tool", name, description: said.join(": "), endpoint, inputSchema };
}

const message = ({ url, headers }: Session, content: object) => ({
  url,
  method: "POST" as const,
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  body: JSON.stringify({ jsonrpc: "2.0", ...content }),
});

type Call = { session: Session; id: number; method: string; params: object };

/** One request of the protocol. @returns what was taken of its result, or why there is none */
const call = <T>(
  send: Send,
  { session, id, method, params }: Call,
  take: (result: Json, answer: EndpointAnswer) => T,
): Promise<Reading | { value: T }> =>
  send(message(session, { id, method, params }), (answer) => {
    const known = withoutContent(answer.status);
    if (known?.kind === "needs_credentials") return known;
    if (answer.status !== 200) return { kind: "unreadable", why: `The server answers with status ${answer.status}.` };
    const result = messagesOf(answer).find((each) => each.id === id)?.result;
    return result !== null && typeof result === "object"
      ? { value: take(result as Json, answer) }
      : { kind: "unreadable", why: `The server answers ${method} with no result.` };
  });

/** The server's session and the protocol's version go with every later request, to where the server answered. */
function sessionOf(result: Json, { url, headers }: EndpointAnswer): Session {
  const id = headers["mcp-session-id"];
  const version = result.protocolVersion;
  return {
    url,
    headers: {
      ...(id && /^[\x21-\x7e]{1,500}$/.test(id) && { "mcp-session-id": id }),
      "mcp-protocol-version": typeof version === "string" && /^[\d-]{1,20}$/.test(version) ? version : PROTOCOL_VERSION,
    },
  };
}

const isStream = (headers: EndpointAnswer["headers"]) =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");

/** The messages of an answer: JSON, or a stream of events with a message each. They are parsed as they are taken. */
function* messagesOf({ headers, text }: EndpointAnswer): Generator<Json> {
  for (const each of isStream(headers) ? dataIn(text).take(MAX_EVENTS) : [text])
    try {
      const value = parseForeignJson(each);
      yield* (Array.isArray(value) ? value : [value]).filter((one) => one !== null && typeof one === "object");
    } catch {
      // Another event may be the answer.
    }
}

/** An event from the first line of its data to its end; what has no data costs nothing. */
const EVENT = /^data:.*(?:\n.+)*/gm;

/** The data of each event that has any. */
const dataIn = (stream: string) =>
  stream
    .replaceAll("\r\n", "\n")
    .matchAll(EVENT)
    .map(([event]) =>
      event
        .match(/^data:.*/gm)!
        .map((line) => line.slice(5))
        .join("\n"),
    );
