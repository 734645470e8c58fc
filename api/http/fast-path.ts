/**
 * The short way of ordinary reads: a GET of a plain path goes from Node's request straight to its endpoint. Whatever is
 * out of the ordinary (another verb, escapes or dots in the path, an odd Host) takes the long way through Hono, which
 * answers the same and costs three times as much.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpAnswer, HttpContext } from "../answer.ts";

export type Answerer = (c: HttpContext) => Promise<HttpAnswer>;

/** Takes a request and answers it, or returns false and leaves it alone. */
export type ShortWay = (incoming: IncomingMessage, outgoing: ServerResponse, requestId: string) => boolean;

/** Headers collected for one `writeHead`: set one by one on Node's response each would be checked and kept twice. */
class CollectedHeaders {
  /** By lower-case name. */
  readonly all: Record<string, string>;
  readonly #response: ServerResponse;
  constructor(constant: Record<string, string>, requestId: string, response: ServerResponse) {
    this.#response = response;
    this.all = { ...constant, "x-request-id": requestId };
  }
  setHeader(name: string, value: string): void {
    this.all[name.toLowerCase()] = value;
  }
  getHeader(name: string): string | undefined {
    return this.all[name.toLowerCase()];
  }
  get destroyed(): boolean {
    return this.#response.destroyed;
  }
  once(event: "close", closed: () => void): void {
    this.#response.once(event, closed);
  }
}

/** Endpoints by the segments of their templates; a fixed segment goes before a parameter. */
type Node = { fixed: Map<string, Node>; parameter?: Node; end?: { names: string[]; answer: Answerer } };

const PLAIN_HOST = /^[a-z0-9.-]+(:\d{1,5})?$/i;
/** Path and query of visible ASCII without what the URL parser would rewrite; no escapes and no dot segments in the path. */
const PLAIN_TARGET = /^((?:\/(?!\.{1,2}(?:[/?]|$))[\w.~!$&()*+,;=:@-]+)+)(?:\?([\w.~!$&()*+,;=:@/?%-]*))?$/;

/**
 * @param endpoints the GET endpoints, each by its template (`/agent/{ref}`)
 * @param constants headers of every answer
 */
export function shortWay(
  endpoints: readonly { path: string; answer: Answerer }[],
  constants: readonly [name: string, value: string][],
): ShortWay {
  const constant = Object.fromEntries(constants.map(([name, value]) => [name.toLowerCase(), value]));
  const root: Node = { fixed: new Map() };
  /** Endpoints without parameters, by their paths. */
  const whole = new Map<string, NonNullable<Node["end"]>>();
  for (const { path, answer } of endpoints) {
    let node = root;
    const names: string[] = [];
    for (const segment of path.slice(1).split("/")) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      let next = name === undefined ? node.fixed.get(segment) : node.parameter;
      if (!next) {
        next = { fixed: new Map() };
        if (name === undefined) node.fixed.set(segment, next);
        else node.parameter = next;
      }
      if (name !== undefined) names.push(name);
      node = next;
    }
    node.end = { names, answer };
    if (names.length === 0 && path !== "/") whole.set(path, node.end);
  }

  return (incoming, outgoing, requestId) => {
    const { url = "", method } = incoming;
    if (method !== "GET" || !PLAIN_HOST.test(incoming.headers.host ?? "")) return false;
    const fixed = whole.get(url);
    const path = fixed ? url : PLAIN_TARGET.exec(url)?.[1];
    if (path === undefined) return false;
    const values: string[] = [];
    const found = fixed ?? find(root, path.slice(1).split("/"), 0, values);
    if (!found) return false;
    const params: Record<string, string> = {};
    for (const [i, name] of found.names.entries()) params[name] = values[i]!;
    const req = { url, path, method, param: () => params };
    const headers = new CollectedHeaders(constant, requestId, outgoing);
    found
      .answer({ env: { incoming, outgoing: headers }, req })
      .then((answer) => write(outgoing, headers, answer))
      .catch((error: Error) => outgoing.destroy(error));
    return true;
  };
}

/** @param values gets the segments that parameters stand for */
function find(node: Node, segments: string[], at: number, values: string[]): Node["end"] {
  if (at === segments.length) return node.end;
  const segment = segments[at]!;
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, at + 1, values);
  if (found || !node.parameter) return found;
  values.push(segment);
  const other = find(node.parameter, segments, at + 1, values);
  if (!other) values.pop();
  return other;
}

function write(outgoing: ServerResponse, collected: CollectedHeaders, { status, headers, body }: HttpAnswer): void {
  for (const name in headers) collected.setHeader(name, headers[name]!);
  const { all } = collected;
  if (body !== null && typeof body === "object" && "stream" in body) {
    outgoing.writeHead(status, Object.entries(all).flat());
    body.stream(outgoing);
    return;
  }
  if (body !== null)
    all["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
  else if (status !== 304) all["content-length"] = "0";
  const flat: string[] = [];
  for (const name in all) flat.push(name, all[name]!);
  outgoing.writeHead(status, flat);
  if (body === null) outgoing.end();
  else outgoing.end(body);
}
