/** The API as a whole: every endpoint mounted, and the listener that Node's server calls. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { Failure } from "../core/errors.ts";
import { agentTotals } from "../db/agents.ts";
import { factsReader } from "../db/facts-reader.ts";
import { openDirectoryList } from "../db/lists/directory.ts";
import { staleScores } from "../db/service-status.ts";
import { tokensWithoutUri } from "../db/token-uris.ts";
import { answerWith, type Bindings, type Machinery } from "./answer.ts";
import type { ApiDeps } from "./deps.ts";
import type { Endpoint } from "./endpoint.ts";
import { readingKeys } from "./guards/api-key.ts";
import { rateLimits } from "./guards/rate-limits.ts";
import { signedTexts } from "./guards/signed-text.ts";
import { walletGuard } from "./guards/wallet.ts";
import { admission } from "./http/admission.ts";
import { ALREADY_SENT } from "./http/already-sent.ts";
import { clientAddressBehind, comesFrom } from "./http/client-address.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import { eventStreams } from "./http/event-stream.ts";
import { shortWay } from "./http/fast-path.ts";
import { answerOptions, constantHeaders, requestIdOf } from "./http/headers.ts";
import { nearestPaths } from "./http/nearest-path.ts";
import { places } from "./http/places.ts";
import { openPaymentDesk } from "./payments/payment-service.ts";
import { ENDPOINTS } from "./routes/index.ts";
import { siteOf } from "./services/agent-facts.ts";
import { balanceMemory } from "./services/balances.ts";
import { contractMemory } from "./services/contract-facts.ts";
import { answeredOnce, countedOnce } from "./services/counts.ts";
import { groupActs } from "./services/group-acts.ts";
import { logStreams } from "./services/log-streams.ts";
import { messageStreams } from "./services/message-streams.ts";
import { aboutPages, ofView } from "./web/about.ts";
import { webServer } from "./web/serve.ts";

export type Api = {
  /** Takes a request from Node's HTTP server; never throws. */
  listener(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Ends what would not end by itself: open event streams. */
  stop(): void;
  endpoints: readonly Endpoint[];
};

/** Exports read thousands of rows each: few at once, and never all of them for one client. */
const EXPORTS = { what: "exports", perHolder: 1, inAll: 3, retryAfter: 5 };

/** Each of them may wait for its block, and ask the database meanwhile. */
const MIN_BLOCK_READS = { what: "reads with minBlock", inAll: 2_000, retryAfter: 1 };

/** Everybody may ask for the state of queues and chain, and each asking costs dozens of statements, or one at the node. */
const QUEUES_MS = 1_000;
const HEAD_MS = 500;
const TOKEN_URIS_MS = 5_000;

/** @throws Error when the configuration names trusted proxies that are no addresses */
export function createApi(deps: ApiDeps, endpoints: readonly Endpoint[] = ENDPOINTS): Api {
  const { service, http, contracts, chain, rates } = deps.config;
  const limits = rateLimits(rates, deps.rateBuckets);
  const signed = signedTexts(deps.chain, limits);
  const streams = eventStreams(deps.config.streams);
  deps.meter?.streams(() => streams.count);
  const machinery: Machinery = {
    deps: {
      ...deps,
      directory: deps.directory ?? openDirectoryList({ url: "", db: deps.db, enabled: false }),
      facts: factsReader(deps.db),
      signed,
      limits,
      payments: openPaymentDesk(deps),
      totals: countedOnce(deps, agentTotals),
      staleScores: countedOnce(deps, staleScores),
      tokensWithoutUri: answeredOnce(() => tokensWithoutUri(deps.db), TOKEN_URIS_MS),
      queues: answeredOnce(deps.queues, QUEUES_MS),
      chainHead: answeredOnce(() => deps.chain.headBlock(), HEAD_MS),
      contract: contractMemory(deps.chain, contracts.identity.address, deps.now),
      balances: balanceMemory(deps.chain, contracts.usdc.address, deps.now),
      groups: groupActs(deps),
      streams,
      messageStreams: messageStreams(deps),
      logStreams: logStreams(deps),
      exports: places(EXPORTS),
      minBlockReads: places({ ...MIN_BLOCK_READS, perHolder: deps.config.minBlockReadsPerClient }),
    },
    wallets: walletGuard(
      { hosts: service.hosts, name: service.name, webUrl: service.webUrl, chainId: chain.id },
      signed,
    ),
    readingKeys: readingKeys(deps.db),
    clientAddress: clientAddressBehind(http.trustedProxies),
    admit: admission(deps.db),
    fromProxy: comesFrom(http.trustedProxies),
  };
  const app = new Hono<{ Bindings: Bindings }>();
  const mounted = endpoints.map((endpoint) => ({ ...endpoint, answer: answerWith(endpoint, machinery) }));
  for (const { method, path, answer } of mounted)
    app.on(method.toUpperCase(), honoPath(path), async (c) => {
      const { body, ...init } = await answer(c);
      if (body === null || typeof body === "string" || body instanceof Uint8Array) return new Response(body, init);
      c.env.outgoing.writeHead(init.status, init.headers);
      body.stream(c.env.outgoing);
      return ALREADY_SENT;
    });
  const headers = constantHeaders(service.publicUrl);
  const answeredShortly = shortWay(
    mounted.filter(({ method }) => method === "get"),
    headers,
  );

  const methodsOf = allowedMethods(endpoints);
  const nearestTo = nearestPaths(endpoints);
  const refuse = (c: Context<{ Bindings: Bindings }>, failure: Failure, headers: Record<string, string> = {}) => {
    const answer = errorAnswer(failure, String(c.env.outgoing.getHeader("X-Request-Id")));
    return new Response(answer.body, { status: answer.status, headers: { ...answer.headers, ...headers } });
  };
  app.notFound((c) => {
    const allowed = methodsOf(c.req.path);
    deps.meter?.unrouted(allowed.length === 0 ? "not_found" : "method_not_allowed");
    if (allowed.length === 0) {
      const near = nearestTo(c.req.method, c.req.path);
      const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "GET /api/v2 lists what there is.";
      return refuse(c, new Failure("not_found", "There is nothing at this path.", { hint }));
    }
    const allow = [...allowed, "OPTIONS"].join(", ");
    return refuse(c, new Failure("method_not_allowed", `This path understands ${allow}.`), { allow });
  });
  app.onError((error, c) => refuse(c, toFailure(error, deps.log, String(c.env.outgoing.getHeader("X-Request-Id")))));

  const web = webServer({
    siteName: service.name,
    about: aboutPages(machinery.deps),
    otherwise: (path) => ofView(path, siteOf(deps.config)),
    isEndpoint: (path) => methodsOf(path).length > 0,
  });
  const unusable = new Failure("invalid_input", "The request line or the Host header cannot be used.");
  // Only building the request out of a bad URL or Host reaches the error handler, and it does so before the listener
  // first waits: the request id is still that of the call being made.
  let requestId = "";
  const listener = getRequestListener(app.fetch as Parameters<typeof getRequestListener>[0], {
    errorHandler: () => {
      deps.meter?.unrouted("unusable");
      const { status, body, headers } = errorAnswer(unusable, requestId);
      return new Response(body, { status, headers });
    },
  });
  return {
    endpoints,
    stop: () => streams.endAll(),
    listener(incoming, outgoing) {
      requestId = requestIdOf(incoming);
      // A browser that navigates may want a page; everybody else asks the endpoints.
      if (!incoming.headers.accept?.includes("html") && answeredShortly(incoming, outgoing, requestId)) return;
      outgoing.setHeader("X-Request-Id", requestId);
      for (const [name, value] of headers) outgoing.setHeader(name, value);
      if (web(incoming, outgoing)) return void deps.meter?.unrouted("page");
      if (incoming.method === "OPTIONS") {
        deps.meter?.unrouted("options");
        answerOptions(incoming, outgoing, methodsOf((incoming.url ?? "").split("?", 1)[0]!));
      } else void listener(incoming, outgoing);
    },
  };
}

/** `/agent/{ref}` is `/agent/:ref` to Hono. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The verbs that some endpoint has at a path, HEAD beside GET. */
function allowedMethods(endpoints: readonly Endpoint[]): (path: string) => string[] {
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

const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
