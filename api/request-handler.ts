/** How one endpoint answers one request, stage by stage: guard, limits, input, index, payment, handler, idempotency. */
import type { IncomingMessage } from "node:http";
import type { Networks } from "../core/callers/shares.ts";
import { FREE_CHECKOUT, type OpenCheckout } from "../payments/checkout.ts";
import { credentialHeaders, valueHeaders } from "../payments/headers.ts";
import type { PaymentMethod } from "../payments/methods/method.ts";
import { openCheckout, withPayment } from "../payments/open-checkout.ts";
import { isTracing, span } from "../runtime/tracing.ts";
import { declarationOf, termsInstead, withTerms } from "./bazaar.ts";
import { type Caller, type CallerRule, nameOf } from "./caller-types.ts";
import { asksDatabase, type Endpoint, onlyReads } from "./endpoint.ts";
import type { ReadingKeys } from "./guards/api-key.ts";
import { type CallerParts, hasCredential, identify, walletOf } from "./guards/callers.ts";
import { type RateLimits, type ReadingKey, tokensOfCaller, tokensOfClient } from "./guards/rate-limits.ts";
import type { WalletGuard } from "./guards/wallet.ts";
import { handled, showIndexedBlock } from "./handled.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import { type ClientAddress, networksOf } from "./http/client-network.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import { forClient, type HttpAnswer } from "./http/response-head.ts";
import { idempotencyKey, type MayKeep, once } from "./idempotency.ts";
import type { Reply } from "./reply.ts";
import { type Bindings, representationOf } from "./representation.ts";
import { fingerprintOf, inputReader, type RequestInput } from "./request-input.ts";

/** The part of Hono's context that is used here. */
export type HttpContext = {
  env: Bindings;
  req: { url: string; path: string; param(): Record<string, string> };
};

/** The parts of the machinery that live as long as the API. */
export type Machinery = {
  deps: HandlerDeps;
  /** The same parts for the handlers of endpoints that only read. */
  readDeps: HandlerDeps;
  wallets: WalletGuard;
  /** To whom signed requests are. */
  addressed: CallerParts["addressed"];
  readingKeys: ReadingKeys;
  clientAddress: ClientAddress;
  /** @throws Failure overloaded, at once, when the request would wait too long for a connection */
  admit(): void;
  /** The same for requests that only read. */
  admitRead(): void;
  /** Whether a request comes from a proxy of our own: then it continues the proxy's trace. */
  fromProxy?: (incoming: IncomingMessage) => boolean;
};

/** One request on its way through the stages. */
type Exchange = Bindings & {
  endpoint: Endpoint;
  machinery: Machinery;
  requestId: string;
  /** With the query; its scheme is that of this server, which clients may not see. */
  url: string;
  /** Without the query. */
  path: string;
  params: Record<string, string>;
  /** Milliseconds since the epoch at which the request arrived. */
  now: number;
  clientAddress: string;
  networks: Networks;
};

/** The request handler of an endpoint. Never throws: every failure becomes the contract's error body. */
export function requestHandler(endpoint: Endpoint, machinery: Machinery): (c: HttpContext) => Promise<HttpAnswer> {
  const { meter, log } = machinery.deps;
  const reply = replier(endpoint, machinery);
  const represent = representationOf(endpoint);
  const observe = meter?.route(endpoint.method, endpoint.path);
  const answer = async (c: HttpContext): Promise<HttpAnswer> => {
    const startedAt = observe ? performance.now() : 0;
    const { requestId } = c.env.head;
    let answered: HttpAnswer;
    try {
      answered = await represent(c.env, await reply(c, requestId));
    } catch (error) {
      answered = errorAnswer(toFailure(error, log, requestId), requestId);
    }
    answered = forClient(c.env.incoming, c.env.head, answered);
    observe?.(answered.status, performance.now() - startedAt);
    return answered;
  };
  return isTracing() ? inSpan(endpoint, machinery, answer) : answer;
}

/**
 * The stages of a request, in this order. Every stage may refuse; what costs little and reveals little comes first.
 *  1. `Vary` of every answer
 *  2. API key of a read
 *  3. limits of the client
 *  4. admission while the database is overloaded
 *  5. sign-in of the caller
 *  6. limits of the caller
 *  7. path and query
 *  8. body
 *  9. the indexed block
 * 10. the checkout, where there is a price
 * 11. idempotency
 * 12. the handler
 */
function replier(endpoint: Endpoint, machinery: Machinery): (c: HttpContext, requestId: string) => Promise<Reply> {
  const { deps } = machinery;
  const { bucket, caller: rule, price } = endpoint.guard;
  const vary = varyOf(endpoint, deps.payments.settlement.methods);
  const needsAdmission = asksDatabase(endpoint);
  const admit = onlyReads(endpoint) ? machinery.admitRead : machinery.admit;
  const isWrite = endpoint.method !== "get";
  const readInput = inputReader(endpoint);

  return async ({ env, req }, requestId) => {
    const { incoming, head } = env;
    const now = deps.now();
    const clientAddress = machinery.clientAddress(incoming);
    const networks = networksOf(clientAddress);
    const { path, url } = req;
    const params = req.param();
    const exchange = { ...env, endpoint, machinery, requestId, url, path, params, now, clientAddress, networks };

    if (vary) head.setHeader("Vary", vary);
    const sentKey = bucket === "reads" ? incoming.headers["x-api-key"] : undefined;
    const key = sentKey === undefined ? null : await readingKey(exchange, sentKey);
    const counted = deps.limits.take(tokensOfClient(bucket, rule === "anyone", { networks, key }), now, head);
    if (counted) await counted;
    if (needsAdmission) admit();
    const caller = rule === "anyone" ? undefined : await requiredCaller(exchange);
    if (caller) await deps.limits.take(tokensOfCaller(bucket, caller, networks), now, head);
    const rest = answerOf(exchange, { caller, key, url });
    return isProbe(exchange) ? rest.catch(termsInstead(deps.payments, soldBy(exchange))) : rest;
  };

  /** Stages 7 to 12. */
  async function answerOf(exchange: Exchange, { caller, key, url }: Asker): Promise<Reply> {
    const { incoming, head, params, path, networks, clientAddress, requestId, now } = exchange;
    const input = await readInput({ incoming, head, url, params });
    if ("malformed" in input) return input.malformed;
    if (input.query?.minBlock !== undefined) deps.minBlockReads.acquire(head, [key ? nameOf(key) : networks]);
    if (endpoint.data) await showIndexedBlock(deps, head, input.query?.minBlock);
    const fingerprint = isWrite || price ? fingerprintOf(endpoint.method.toUpperCase(), path, input) : "";
    const repeatKey = isWrite ? idempotencyKey(incoming.headers["idempotency-key"]) : undefined;
    const checkout = price ? await checkoutOf(exchange, input, caller, fingerprint) : undefined;
    const call = callOf(exchange, { input, caller, key, fingerprint, repeatKey, checkout });
    const handle = async () => handled(endpoint, call);
    const paidHandle = checkout ? () => withPayment(checkout, handle) : handle;
    // A request that only reads needs no stored answer: reading again repeats it.
    if (repeatKey === undefined || bucket === "reads" || bucket === "index") return paidHandle();
    const scope = caller ? nameOf(caller) : clientAddress;
    const mayKeep = mayKeepAnswer(deps.limits, caller, networks, now);
    return once(deps, { scope, key: repeatKey, fingerprint, requestId, mayKeep }, paidHandle);
  }
}

type Asker = { caller: Caller | undefined; key: ReadingKey | null; url: string };

/**
 * Whether a request may only ask for the terms of what is sold: it brings neither a payment nor anything that would let it
 * be answered without one.
 */
function isProbe({ endpoint: { guard, method }, incoming, machinery }: Exchange): boolean {
  const { headers } = incoming;
  return (
    guard.price !== undefined &&
    method !== "get" &&
    guard.caller === "anyone" &&
    !hasCredential(incoming) &&
    headers["idempotency-key"] === undefined &&
    paymentHeaders(machinery.deps.payments.settlement.methods).every(
      (name) => headers[name.toLowerCase()] === undefined,
    )
  );
}

const soldBy = ({ endpoint, path }: Exchange) => ({ endpoint, operation: endpoint.guard.price!, path });

const paymentHeaders = (methods: readonly PaymentMethod[]): string[] =>
  [...credentialHeaders(methods), ...valueHeaders(methods)].map(({ name }) => name);

/** Headers that tell a caller. */
const CREDENTIALS = ["Authorization", "X-SIWA", "Signature-Input"];

/** The request headers that an endpoint's answer depends on in addition to its address; null for none. */
function varyOf({ guard: { caller, price } }: Endpoint, methods: readonly PaymentMethod[]): string | null {
  if (caller === "anyoneOrSiwa") return CREDENTIALS.join(", ");
  return price ? [...CREDENTIALS, ...paymentHeaders(methods)].join(", ") : null;
}

/** @throws Failure unauthenticated for a key that is not valid */
async function readingKey(
  { machinery, networks, now }: Exchange,
  header: string | string[],
): Promise<ReadingKey | null> {
  const key = machinery.readingKeys.known(header, now);
  if (key !== undefined) return key;
  const attempt = machinery.deps.limits.attempt(networks, now);
  return attempt.end(machinery.readingKeys.check(header, attempt, now));
}

/** The caller by a rule; a missing or bad credential is counted against the network. @throws Failure unauthenticated, ... */
function signIn({ machinery, incoming, url, networks, now }: Exchange, rule: CallerRule): Promise<Caller | undefined> {
  const { db, identityProvider, limits } = machinery.deps;
  const attempt = limits.attempt(networks, now);
  const parts = { db, identityProvider, wallets: machinery.wallets, addressed: machinery.addressed };
  return attempt.end((async () => identify(rule, parts, { incoming, url, networks, now, attempt }))());
}

/** The caller that the endpoint's guard requires. A refusal of a paid endpoint states its terms as well. */
function requiredCaller(exchange: Exchange): Promise<Caller | undefined> {
  const { endpoint, machinery } = exchange;
  const { caller: rule, price } = endpoint.guard;
  const caller = signIn(exchange, rule);
  return price ? caller.catch(withTerms(machinery.deps.payments, soldBy(exchange))) : caller;
}

/**
 * Opens the checkout of a paid endpoint, and counts the payment that the request brings.
 * @throws Failure invalid_input, rate_limited; payment_required for HEAD, which gets the terms and never the answer
 */
async function checkoutOf(
  exchange: Exchange,
  { search, bytes }: RequestInput,
  caller: Caller | undefined,
  fingerprint: string,
): Promise<OpenCheckout> {
  const { endpoint, machinery, incoming, path, params, networks, now } = exchange;
  const { deps } = machinery;
  const checkout = await openCheckout(deps.payments, {
    operation: endpoint.guard.price!,
    method: endpoint.method.toUpperCase(),
    path,
    declaration: declarationOf(endpoint, params),
    search,
    body: bytes,
    headers: incoming.headersDistinct,
    wallet: walletOf(caller),
    signedIn: async () => (hasCredential(incoming) ? walletOf(await signIn(exchange, "siwa")) : null),
    client: networks[0].name,
    fingerprint,
    now,
  });
  if (checkout.given) await deps.limits.take([["payments", caller ? nameOf(caller) : networks]], now);
  if (checkout.price > 0n && incoming.method === "HEAD") throw checkout.refusal();
  return checkout;
}

/** The results of the stages before the handler. */
type Stages = {
  input: RequestInput;
  caller: Caller | undefined;
  key: ReadingKey | null;
  fingerprint: string;
  repeatKey: string | undefined;
  checkout: OpenCheckout | undefined;
};

function callOf(exchange: Exchange, stages: Stages): Parameters<Endpoint["handler"]>[0] {
  const { endpoint, machinery, incoming, head, requestId, clientAddress, networks, now } = exchange;
  const { deps, readDeps } = machinery;
  const { input, caller, key, fingerprint, repeatKey, checkout } = stages;
  return {
    deps: onlyReads(endpoint) ? readDeps : deps,
    params: input.params,
    query: input.query,
    body: input.body,
    sent: input.sent,
    caller,
    requestId,
    clientAddress,
    networks,
    reader: key ? nameOf(key) : networks,
    response: head,
    idempotencyKey: repeatKey,
    fingerprint,
    now,
    at: new Date(now),
    payment: checkout ?? FREE_CHECKOUT,
    lastEventId: endpoint.stream ? incoming.headers["last-event-id"]?.toString() : undefined,
    count: async (limit, who) => deps.limits.take([[limit, who]], now, head),
    isHead: incoming.method === "HEAD",
    header: (name) => incoming.headers[name]?.toString(),
  };
}

/**
 * Max characters of a body stored under its Idempotency-Key, for a client without a credential and for a caller.
 * Bound: answers kept by Idempotency-Key for a day: 300 a day of a network, of 4 KB, and 20,000 a day of its callers,
 * of 64 KB (core/callers/rate-policies.ts).
 */
const KEPT_LENGTH = { client: 4_096, caller: 65_536 };

function mayKeepAnswer(limits: RateLimits, caller: Caller | undefined, networks: Networks, now: number): MayKeep {
  const policy = caller ? "kept-answers-of-callers" : "kept-answers";
  return async (length) => {
    if (length > (caller ? KEPT_LENGTH.caller : KEPT_LENGTH.client)) return false;
    return Promise.resolve()
      .then(() => limits.take([[policy, networks]], now))
      .then(
        () => true,
        () => false,
      );
  };
}

/** Answers in a span, which continues the trace of a proxy of ours and begins a new trace for other clients. */
function inSpan({ method, path }: Endpoint, { fromProxy }: Machinery, answer: (c: HttpContext) => Promise<HttpAnswer>) {
  const name = `${method.toUpperCase()} ${path}`;
  return (c: HttpContext): Promise<HttpAnswer> => {
    const { incoming, head } = c.env;
    const attributes = {
      "http.request.method": incoming.method ?? "",
      "http.route": path,
      "agents.request_id": head.requestId,
    };
    const parent = fromProxy?.(incoming) ? incoming.headers.traceparent?.toString() : null;
    return span(name, { kind: "server", attributes, parent, root: true }, async (open) => {
      const answered = await answer(c);
      open.set("http.response.status_code", answered.status);
      if (answered.status >= 500) open.failed();
      return answered;
    });
  };
}
