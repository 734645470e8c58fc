/** The router: every endpoint at its path, and the refusals of paths and methods that do not exist. */
import type { IncomingMessage } from "node:http";
import { type Context, Hono } from "hono";
import { Failure } from "../core/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import { nearestPaths } from "./http/nearest-path.ts";
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
    const known = byPattern.get(path) ?? { pattern: pathPattern(path), methods: new Set() };
    known.methods.add(method.toUpperCase());
    if (method === "get") known.methods.add("HEAD");
    byPattern.set(path, known);
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
