/** Messages of MCP as they are sent and answered: JSON, or a stream of events with a message each. */
import { isEventStream } from "../event-streams.ts";
import { parseDocument } from "./document.ts";
import { listOf, type RawOffer } from "./offer.ts";
import type { EndpointAnswer, EndpointRequest } from "./reader.ts";

export type Json = Record<string, unknown>;

/** Max events of a stream that are parsed: a message that is no JSON costs more than one that is. */
const MAX_EVENTS = 256;

export const CLIENT = { name: "agent directory", version: "1" };
/** The version of the protocol for `initialize`; most servers have it. */
export const PROTOCOL_VERSION = "2025-06-18";
export const INITIALIZE = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT };

export const post = (url: string, headers: Record<string, string>, content: object): EndpointRequest => ({
  url,
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  body: JSON.stringify({ jsonrpc: "2.0", ...content }),
});

/** The answer to a request, if a message is that: servers write its number as a text too. */
export const isAnswerTo = (id: number, message: Json): boolean =>
  Number(message.id) === id && ("result" in message || "error" in message);

/** Whether an event seems to hold the answer to a request, without parsing it. */
export const seemsAnswerTo = (id: number, event: string): boolean =>
  new RegExp(String.raw`"id"\s*:\s*"?${id}"?\s*[,}]`).test(event) && /"(?:result|error)"\s*:/.test(event);

/** The messages of an answer. They are parsed as they are taken. */
export function* messagesOf({ headers, text }: Pick<EndpointAnswer, "headers" | "text">): Generator<Json> {
  // What names no request answers none, however much of it there is.
  if (!text.includes('"id"')) return;
  for (const each of isEventStream(headers) ? dataIn(text).take(MAX_EVENTS) : [text]) yield* messagesIn(each);
}

export function messagesIn(data: string): Json[] {
  const value = parseDocument(data);
  return (Array.isArray(value) ? value : [value]).filter((one) => one !== null && typeof one === "object");
}

/** An event from the first line of its data to its end; what has no data costs nothing. */
const EVENT = /^data:.*(?:\n.+)*/gm;

/** The data of each event that has any. */
const dataIn = (stream: string) =>
  stream
    .replaceAll(/\r\n?/g, "\n")
    .matchAll(EVENT)
    .map(([event]) => dataOf(event));

/** Max lines of one event that are read. */
const MAX_LINES = 16_384;

/** The data of one event. */
export const dataOf = (event: string): string =>
  event
    .split("\n", MAX_LINES)
    .flatMap((line) => (line.startsWith("data:") ? line.slice(5) : []))
    .join("\n");

export const isEndpointEvent = (event: string): boolean => /^event: ?endpoint$/m.test(event);

/** Tools of a result of `tools/list`. */
export const toolsIn = (result: Json, endpoint: string): RawOffer[] =>
  listOf(result.tools).map(({ name, title, description, inputSchema }) => {
    const said = [title, description].filter((text) => typeof text === "string" && text !== "" && text !== name);
    return { kind: "tool", name, description: said.join(": "), endpoint, inputSchema };
  });

const MAX_CURSOR = 1_000;
/** The cursor of the next page that was not seen before: a server may name a next one for ever. */
export function nextCursor({ nextCursor: next }: Json, seen: Set<string>): string | undefined {
  if (typeof next !== "string" || next === "" || next.length > MAX_CURSOR || seen.has(next)) return undefined;
  seen.add(next);
  return next;
}
