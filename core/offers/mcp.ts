/** Reads the tools of MCP servers that answer without credentials, over streamable HTTP. No tool is called. */
import { isEventStream } from "../event-streams.ts";
import { urlOf } from "../urls.ts";
import {
  CLIENT,
  dataOf,
  INITIALIZE,
  isAnswerTo,
  isEndpointEvent,
  type Json,
  messagesIn,
  messagesOf,
  nextCursor,
  PROTOCOL_VERSION,
  post,
  seemsAnswerTo,
  toolsIn,
} from "./mcp-messages.ts";
import { MAX_OFFERS, type Offer, offersOf } from "./offer.ts";
import {
  type EndpointAnswer,
  type EndpointReading,
  type EndpointRequest,
  type OfferReader,
  type Send,
  withoutContent,
} from "./reader.ts";

/** Max pages of `tools/list`. */
const MAX_OLD_PAGES = 3;

/** @returns null when no such server is there */
async function oldToolsOf(url: string, send: Send): Promise<EndpointReading | null> {
  const talk = talkWith(url);
  const opened = await send(
    { url, headers: { accept: "text/event-stream" }, onEvent: talk.read },
    ({ status, headers }) => {
      return status === 200 && isEventStream(headers);
    },
  );
  if (!opened || !talk.said.begun) return null;
  if (talk.said.offers)
    return { kind: "offers", offers: talk.said.offers.slice(0, MAX_OFFERS), etag: null, lastModified: null };
  return {
    kind: "beyond_us",
    why: "It cannot be read by us: it speaks the older transport of MCP (HTTP with SSE), and lists no tools there.",
  };
}

type ServerState = { begun: boolean; offers: Offer[] | null };

/** What is sent on each event of the stream. */
function talkWith(url: string): { read: (event: string) => readonly EndpointRequest[] | "enough"; said: ServerState } {
  const said: ServerState = { begun: false, offers: null };
  const seen = new Set<string>();
  let place: string | null = null;
  let id = 1;
  const list = (cursor?: string) =>
    post(place!, {}, { id, method: "tools/list", params: cursor === undefined ? {} : { cursor } });

  function read(event: string): readonly EndpointRequest[] | "enough" {
    if (isEndpointEvent(event)) {
      if (place !== null) return [];
      said.begun = true;
      place = placeOf(dataOf(event).trim(), url);
      return place === null ? "enough" : [post(place, {}, { id, method: "initialize", params: INITIALIZE })];
    }
    if (place === null) return [];
    const answer = messagesIn(dataOf(event)).find((message) => isAnswerTo(id, message));
    if (!answer) return [];
    const { result } = answer;
    if (result === null || typeof result !== "object") return "enough";
    return id++ === 1 ? [post(place, {}, { method: "notifications/initialized" }), list()] : take(result as Json);
  }

  function take(result: Json): readonly EndpointRequest[] | "enough" {
    said.offers = [...(said.offers ?? []), ...offersOf(toolsIn(result, url))];
    const cursor = id - 2 < MAX_OLD_PAGES && said.offers.length < MAX_OFFERS ? nextCursor(result, seen) : undefined;
    return cursor === undefined ? "enough" : [list(cursor)];
  }

  return { read, said };
}

/** The address for messages, on the server's own host only: it must not make us POST to another host. */
function placeOf(given: string, url: string): string | null {
  const server = urlOf(url);
  const place = server && urlOf(given, server);
  return place && place.origin === server.origin ? place.href : null;
}

/** Max pages of `tools/list`. */
const MAX_PAGES = 5;

/** Where a server answers, and what goes with every request: headers, and of revision 2026-07-28 an envelope in the body too. */
type Session = { url: string; headers: Record<string, string>; envelope?: object };

/** A server with only revision 2026-07-28 has no `initialize`: it gets the request at once. */
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
    const begin = { session: { url, headers: {} }, id: 1, method: "initialize", params: INITIALIZE };
    const first = await call(send, begin, sessionOf);
    if ("value" in first) {
      await send({ ...post(first.value.url, first.value.headers, INITIALIZED), headOnly: true }, () => {});
      return toolsOf(url, send, first.value);
    }
    if (first.none.kind !== "unreadable") return first.none;
    // One that refuses in the protocol's own words has this transport, and another revision of it.
    const old = first.spoke ? null : await oldToolsOf(url, send);
    if (old) return old;
    const newest = await toolsOf(url, send, { url, ...NEWEST });
    return newest.kind === "unreadable" ? first.none : newest;
  },
};

const INITIALIZED = { method: "notifications/initialized" };

async function toolsOf(url: string, send: Send, session: Session): Promise<EndpointReading> {
  const offers: Offer[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let isPartial = false;
  for (let page = 0; page < MAX_PAGES && offers.length < MAX_OFFERS; page++) {
    const params = { ...(cursor !== undefined && { cursor }), ...session.envelope };
    const listed = await call(send, { session, id: 2 + page, method: "tools/list", params }, (result) => ({
      tools: offersOf(toolsIn(result, url)),
      result,
    }));
    // The tools of earlier pages are kept when a later page cannot be read.
    if ("none" in listed) {
      if (page === 0) return listed.none;
      isPartial = true;
      break;
    }
    offers.push(...listed.value.tools);
    cursor = nextCursor(listed.value.result, seen);
    if (cursor === undefined) break;
  }
  return { kind: "offers", offers: offers.slice(0, MAX_OFFERS), etag: null, lastModified: null, isPartial };
}

type Call = { session: Session; id: number; method: string; params: object };
/** `spoke`: it refused by a message of the protocol. */
type CallOutcome<T> = { value: T } | { none: EndpointReading; spoke: boolean };

/** One request of the protocol. @returns what was taken of its result, or why there is none */
const call = <T>(
  send: Send,
  { session: { url, headers }, id, method, params }: Call,
  take: (result: Json, answer: EndpointAnswer) => T,
): Promise<CallOutcome<T>> => {
  const request = post(url, headers, { id, method, params });
  // A stream may stay open behind the answer; one of the older transport begins with an address, and has none.
  const onEvent = (event: string) => (seemsAnswerTo(id, event) || isEndpointEvent(event) ? "enough" : []);
  return send({ ...request, onEvent }, (answer): CallOutcome<T> => {
    const { status } = answer;
    if (withoutContent(status)?.kind === "needs_credentials")
      return { none: { kind: "needs_credentials" }, spoke: false };
    if (status === 307 || status === 308) return { none: SENT_ON, spoke: false };
    const message = messagesOf(answer).find(
      (each) => isAnswerTo(id, each) || ((each.id ?? null) === null && "error" in each),
    );
    const result = message?.result;
    if (status < 200 || status > 299 || result === null || typeof result !== "object") {
      const why =
        status === 200 ? `The server answers ${method} with no result.` : `The server answers with status ${status}.`;
      return { none: { kind: "unreadable", why }, spoke: message !== undefined };
    }
    return { value: take(result as Json, answer) };
  });
};

const SENT_ON: EndpointReading = {
  kind: "beyond_us",
  why: "It cannot be read by us: it sends a POST on to another host, which we do not follow.",
};

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
