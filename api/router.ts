/** The router: every endpoint at its path, and the refusals of paths and methods that do not exist. */
import type { IncomingMessage } from "node:http";
import { type Context, Hono } from "hono";
import { spellingDistance } from "../core/discovery/spelling.ts";
import { Failure } from "../core/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import type { ResponseHead } from "./http/response-head.ts";
import type { Bindings } from "./representation.ts";
import { type Machinery, requestHandler } from "./request-handler.ts";

type HonoContext = Context<{ Bindings: Bindings }>;

/** Routes one request, by its whole URL, to its endpoint. Never throws. */
export type Router = (url: string, incoming: IncomingMessage, head: ResponseHead) => void;

/**
 * Hono matches the request and calls the handler; the handler writes to Node's response. A Request and a Response of the
 * Fetch standard between them cost two thirds of the CPU of a short answer.
 * @param methodsOf the methods that some endpoint has at a path
 */
export function createRouter(
  endpoints: readonly Endpoint[],
  machinery: Machinery,
  methodsOf: (path: string) => string[],
): Router {
  const app = new Hono<{ Bindings: Bindings }>();
  for (const endpoint of endpoints) {
    const answer = requestHandler(endpoint, machinery);
    app.on(endpoint.method.toUpperCase(), honoPath(endpoint.path), async (c) => {
      const answered = await answer(c);
      c.env.head.send(c.env.incoming, answered);
      return SENT;
    });
  }
  app.notFound(refuseUnrouted(endpoints, machinery.deps, methodsOf));
  app.onError((error, c) => refuse(c, toFailure(error, machinery.deps.log, c.env.head.requestId)));
  const { fetch: dispatch } = app;
  return (url, incoming, head) => {
    // Hono reads nothing else of a Request before a handler does, and no handler here reads more.
    const request = { method: incoming.method, url } as Request;
    void dispatch(request, { incoming, head });
  };
}

/** Hono requires a Response of every handler; the answer has been sent when a handler returns this one. */
const SENT = new Response(null);

/** The methods that some endpoint has at a path, HEAD with GET. */
export function allowedMethods(endpoints: readonly Endpoint[]): (path: string) => string[] {
  const byPattern = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  for (const { path, method } of endpoints) {
    const route = byPattern.get(path) ?? { pattern: pathPattern(path), methods: new Set() };
    route.methods.add(method.toUpperCase());
    if (method === "get") route.methods.add("HEAD");
    byPattern.set(path, route);
  }
  return (path) => {
    const matching = [...byPattern.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))];
  };
}

function refuse(
  { env: { incoming, head } }: HonoContext,
  failure: Failure,
  more: Record<string, string> = {},
): Response {
  const { status, headers, body } = errorAnswer(failure, head.requestId);
  head.send(incoming, { status, headers: { ...headers, ...more }, body });
  return SENT;
}

function refuseUnrouted(
  endpoints: readonly Endpoint[],
  { meter }: Pick<HandlerDeps, "meter">,
  methodsOf: (path: string) => string[],
) {
  const nearestTo = nearestPaths(endpoints);
  return (c: HonoContext): Response => {
    const allowed = methodsOf(c.req.path);
    meter?.unrouted(allowed.length === 0 ? "not_found" : "method_not_allowed");
    if (allowed.length === 0) {
      const near = nearestTo(c.req.method, c.req.path);
      const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "GET /api/v2 lists what there is.";
      return refuse(c, new Failure("not_found", "There is nothing at this path.", { hint }));
    }
    const allow = [...allowed, "OPTIONS"].join(", ");
    return refuse(c, new Failure("method_not_allowed", `This path understands ${allow}.`), { allow });
  };
}

/** `/agent/{ref}` is `/agent/:ref` to Hono. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** Longest path compared, in characters and segments. With the table they bound the work that one request causes. */
const MAX_LENGTH = 200;
const MAX_SEGMENTS = 8;
/** Most paths named when several are equally near. */
const MAX_NAMED = 3;

/** The cost of each difference, in letters. */
const COST = { missingSegment: 1, surplusSegment: 1.5, wordAsParameter: 1, otherMethod: 0.25, unlisted: 0.25 };
const MAX_COST = 3;

/** Most letters of a word that a typing error changes. */
const typingError = (word: string): number => (word.length > 5 ? 2 : 1);

/** In place of a word's number where a segment is a parameter. */
const PARAMETER = -1;

type Template = {
  path: string;
  methods: Set<string>;
  unlisted: boolean;
  /** Each segment as the number of its word, or PARAMETER. */
  segments: number[];
  /** Place of the last word, which says the subject of a path: a suggestion never adds it. */
  subject: number;
};

/**
 * Bound: an unknown path is compared up to 200 characters and 8 segments: 0.2 ms of CPU.
 * @returns the nearest paths to one that does not exist, each with a verb (`GET /api/v2/agents`); empty when none is
 *   near
 */
function nearestPaths(endpoints: readonly Endpoint[]): (method: string, path: string) => string[] {
  const words: string[] = [];
  const templates = templatesOf(endpoints, words);

  return (method, path) => {
    if (path.length > MAX_LENGTH) return [];
    const segments = segmentsOf(path);
    if (segments.length > MAX_SEGMENTS) return [];
    const verb = method === "HEAD" ? "GET" : method;
    const given = segments.map((segment) => {
      const distances = words.map((word) => spellingDistance(segment, word, typingError(word)));
      return { distances, asParameter: distances.includes(0) ? COST.wordAsParameter : 0 };
    });
    let least = MAX_COST;
    let named: string[] = [];
    for (const { path, methods, unlisted, ...template } of templates) {
      const extra = (methods.has(verb) ? 0 : COST.otherMethod) + (unlisted ? COST.unlisted : 0);
      const cost = extra + costOf(given, template, least - extra);
      if (cost > least) continue;
      if (cost < least) named = [];
      least = cost;
      named.push(`${methods.has(verb) ? verb : [...methods][0]} ${path}`);
    }
    return named.slice(0, MAX_NAMED);
  };
}

function templatesOf(endpoints: readonly Endpoint[], words: string[]): Template[] {
  const byPath = new Map<string, Template>();
  const numberOf = (word: string) => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1);
  for (const { path, method, unlisted = false } of endpoints) {
    const segments = segmentsOf(path).map((segment) => (segment.startsWith("{") ? PARAMETER : numberOf(segment)));
    const subject = segments.findLastIndex((segment) => segment !== PARAMETER);
    if (subject < 0) continue;
    const route = byPath.get(path) ?? { path, methods: new Set(), unlisted, segments, subject };
    route.methods.add(method.toUpperCase());
    byPath.set(path, route);
  }
  return [...byPath.values()];
}

/** The segments without differences of spelling: case, hyphens, underscores, dots, doubled slashes. */
const segmentsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .replaceAll(/[-_.]/g, "")
    .split("/")
    .filter((segment) => segment !== "");

/** A segment of the path: its distance from each word, and the cost of taking it as a parameter. */
type SegmentCosts = { distances: readonly number[]; asParameter: number };

/** The cheapest way to turn a path into a template, segment by segment; infinite where that is more than `most`. */
function costOf(
  given: readonly SegmentCosts[],
  { segments, subject }: Pick<Template, "segments" | "subject">,
  most: number,
) {
  const surplus = given.length - segments.length;
  if (surplus * COST.surplusSegment > most || -surplus * COST.missingSegment > most) return Number.POSITIVE_INFINITY;
  const missing = (j: number) => (j === subject ? Number.POSITIVE_INFINITY : COST.missingSegment);
  let row = [0];
  for (let j = 0; j < segments.length; j++) row.push(row[j]! + missing(j));
  for (const { distances, asParameter } of given) {
    const next = [row[0]! + COST.surplusSegment];
    let least = next[0]!;
    for (let j = 0; j < segments.length; j++) {
      const word = segments[j]!;
      const swap = word === PARAMETER ? asParameter : distances[word]!;
      const cost = Math.min(row[j]! + swap, row[j + 1]! + COST.surplusSegment, next[j]! + missing(j));
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row.at(-1)!;
}
