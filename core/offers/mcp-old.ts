/**
 * Reads the tools of MCP servers of the transport before 2025-03-26 (HTTP with SSE): a GET opens a stream whose first event
 * names the address for messages, and the answers to these come on that stream. It stays open while one client reads.
 */
import { isEventStream } from "../event-streams.ts";
import { urlOf } from "../urls.ts";
import {
  dataOf,
  INITIALIZE,
  isAnswerTo,
  isEndpointEvent,
  type Json,
  messagesIn,
  nextCursor,
  post,
  toolsIn,
} from "./mcp-messages.ts";
import { MAX_OFFERS, type Offer, offersOf } from "./offer.ts";
import type { EndpointReading, EndpointRequest, Send } from "./reader.ts";

/** Max pages of `tools/list`. */
const MAX_PAGES = 3;

/** @returns null when no such server is there */
export async function oldToolsOf(url: string, send: Send): Promise<EndpointReading | null> {
  const talk = talkWith(url);
  const opened = await send(
    { url, headers: { accept: "text/event-stream" }, hear: talk.hear },
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
function talkWith(url: string): { hear: (event: string) => readonly EndpointRequest[] | "enough"; said: ServerState } {
  const said: ServerState = { begun: false, offers: null };
  const seen = new Set<string>();
  let place: string | null = null;
  let id = 1;
  const list = (cursor?: string) =>
    post(place!, {}, { id, method: "tools/list", params: cursor === undefined ? {} : { cursor } });

  function hear(event: string): readonly EndpointRequest[] | "enough" {
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
    const cursor = id - 2 < MAX_PAGES && said.offers.length < MAX_OFFERS ? nextCursor(result, seen) : undefined;
    return cursor === undefined ? "enough" : [list(cursor)];
  }

  return { hear, said };
}

/** The address for messages, on the server's own host only: a stranger must not make us POST to another host. */
function placeOf(given: string, url: string): string | null {
  const server = urlOf(url);
  const place = server && urlOf(given, server);
  return place && place.origin === server.origin ? place.href : null;
}
