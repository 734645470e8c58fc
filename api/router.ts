/** The router: every endpoint at its path, and the refusals of paths and methods that do not exist. */
import { type Context, Hono } from "hono";
import { Failure } from "../core/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HandlerDeps } from "./handler-types.ts";
import { ALREADY_SENT } from "./http/already-sent.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import { nearestPaths } from "./http/nearest-path.ts";
import type { Bindings, HttpAnswer } from "./representation.ts";
import { type Machinery, requestHandler } from "./request-handler.ts";

type HonoContext = Context<{ Bindings: Bindings }>;

/** @param methodsOf the methods that some endpoint has at a path */
export function createRouter(
  endpoints: readonly Endpoint[],
  machinery: Machinery,
  methodsOf: (path: string) => string[],
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  for (const endpoint of endpoints) {
    const answer = requestHandler(endpoint, machinery);
    app.on(endpoint.method.toUpperCase(), honoPath(endpoint.path), async (c) => send(c, await answer(c)));
  }
  app.notFound(refuseUnrouted(endpoints, machinery.deps, methodsOf));
  app.onError((error, c) => refuse(c, toFailure(error, machinery.deps.log, requestIdOf(c))));
  return app;
}

/** The methods that some endpoint has at a path, HEAD beside GET. */
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

/**
 * The answer of a GET goes to Node's response directly: a Response between them costs 5 % of the CPU of a keyed read.
 * Streams do, too, because they stay open.
 */
function send({ env: { incoming, outgoing } }: HonoContext, { body, status, headers }: HttpAnswer): Response {
  if (body !== null && typeof body === "object" && "stream" in body) {
    outgoing.writeHead(status, headers);
    body.stream(outgoing);
    return ALREADY_SENT;
  }
  if (incoming.method !== "GET") return new Response(body, { status, headers });
  if (body !== null) headers["content-length"] = String(Buffer.byteLength(body));
  else if (status !== 304) headers["content-length"] = "0";
  outgoing.writeHead(status, headers).end(body ?? undefined);
  return ALREADY_SENT;
}

const requestIdOf = ({ env }: HonoContext) => String(env.outgoing.getHeader("X-Request-Id"));

function refuse(c: HonoContext, failure: Failure, more: Record<string, string> = {}): Response {
  const { status, headers, body } = errorAnswer(failure, requestIdOf(c));
  return new Response(body, { status, headers: { ...headers, ...more } });
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
