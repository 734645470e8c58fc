/** How one endpoint answers one request: guard, parameters, body, index, idempotency, handler, representation. */
import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { Failure, fail } from "../core/errors.ts";
import type { Operation } from "../core/prices.ts";
import { isTracing, span } from "../runtime/tracing.ts";
import type { ApiParts } from "./deps.ts";
import {
  asksDatabase,
  CACHE,
  type Caller,
  type CallerRule,
  type Endpoint,
  isOpen,
  queryOf,
  type Reply,
} from "./endpoint.ts";
import type { ReadingKeys } from "./guards/api-key.ts";
import { identify, nameOf } from "./guards/callers.ts";
import { type RateLimits, type ReadingKey, tokensOfCaller, tokensOfClient } from "./guards/rate-limits.ts";
import type { WalletGuard } from "./guards/wallet.ts";
import type { Admission } from "./http/admission.ts";
import type { ClientAddress } from "./http/client-address.ts";
import { networkOf } from "./http/client-network.ts";
import { isNotModified, strongEtag } from "./http/conditional.ts";
import { errorAnswer, toFailure } from "./http/error-answer.ts";
import type { StreamContent } from "./http/event-stream.ts";
import type { AnswerHeaders } from "./http/headers.ts";
import { issueDetails, issueText } from "./http/issue-text.ts";
import type { ResponseEnd } from "./http/places.ts";
import { type RequestBody, readBody } from "./http/request-body.ts";
import { ignoredParams, readQuery } from "./http/request-query.ts";
import { idempotencyKey, type MayKeep, once } from "./idempotency.ts";
import { declarationOf } from "./payments/bazaar.ts";
import { FREE_TILL, openTill, withPayment } from "./payments/checkout.ts";
import { takePayment } from "./payments/collect.ts";
import { PAYMENT_HEADERS } from "./payments/headers.ts";
import { paymentRequired } from "./payments/offers.ts";

/** What Hono hands through from the Node server. */
export type Bindings = { incoming: IncomingMessage; outgoing: ServerResponse };
/** A request on its way: the part of Hono's context that is used here. */
export type HttpContext = {
  env: { incoming: IncomingMessage; outgoing: AnswerHeaders & ResponseEnd };
  req: { url: string; path: string; method: string; param(): Record<string, string> };
};
/** What goes out beside the headers already set on the response. */
export type HttpAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | StreamContent | null;
};

/** The parts of the machinery that live as long as the API. */
export type Machinery = {
  deps: ApiParts;
  wallets: WalletGuard;
  readingKeys: ReadingKeys;
  clientAddress: ClientAddress;
  admit: Admission;
  /** Whether a request comes from a proxy of our own: then the trace it is part of goes on here. */
  fromProxy?: (incoming: IncomingMessage) => boolean;
};

/** Longest wait for `minBlock`. */
const MIN_BLOCK_WAIT_MS = 5_000;
const ABSENT_BODY: RequestBody = { bytes: Buffer.alloc(0), value: undefined };

/** The request handler of an endpoint. Never throws: every failure becomes the contract's error body. */
export function answerWith(endpoint: Endpoint, machinery: Machinery) {
  const query = queryOf(endpoint);
  const known = new Set(Object.keys(query?.shape ?? {}));
  const admits = asksDatabase(endpoint);

  async function reply(c: HttpContext, requestId: string): Promise<Reply> {
    const { deps } = machinery;
    const { incoming, outgoing } = c.env;
    const now = deps.now();
    const clientAddress = machinery.clientAddress(incoming);
    const network = networkOf(clientAddress);
    const { caller: rule, bucket, price } = endpoint.guard;
    if (price) outgoing.setHeader("Vary", PAID_VARY);
    if (rule === "anyoneOrSiwa") outgoing.setHeader("Vary", "Authorization, X-SIWA");
    const sentKey = bucket === "reads" ? incoming.headers["x-api-key"] : undefined;
    const key = sentKey === undefined ? null : await readingKey(sentKey, network, now);
    const counted = deps.limits.take(tokensOfClient(bucket, rule === "anyone", { network, key }), now, outgoing);
    if (counted) await counted;
    if (admits) machinery.admit();
    const { db, identityProvider } = deps;
    const callerParts = { db, identityProvider, wallets: machinery.wallets };
    /** The caller by a rule; a credential that is missing or not good is counted against the network. */
    const signIn = (as: CallerRule) => {
      const attempt = deps.limits.attempt(network, now);
      return attempt.end((async () => identify(as, callerParts, { incoming, client: network, now, attempt }))());
    };
    const found = rule === "anyone" ? undefined : signIn(rule);
    const caller = found && (await (price ? found.catch(withOffer(deps, endpoint, price, c.req.path)) : found));
    if (caller) await deps.limits.take(tokensOfCaller(bucket, caller, network), now, outgoing);

    const url = c.req.url;
    const cut = url.indexOf("?");
    const search = cut < 0 ? "" : url.slice(cut + 1);
    const { values, ignored } = readQuery(search, known);
    if (ignored.length > 0) outgoing.setHeader("X-Ignored-Params", ignoredParams(ignored));
    const params = check(endpoint.params, c.req.param(), "path");
    const options = check(query, values, "query") as { minBlock?: number } | undefined;
    const writes = endpoint.method !== "get";
    const body = writes ? await readBody(incoming) : ABSENT_BODY;
    const input = endpoint.body ? check(endpoint.body, body.value, "body") : undefined;

    if (options?.minBlock !== undefined) deps.minBlockReads.take(outgoing, [network]);
    if (endpoint.data) await showIndex(deps, outgoing, options?.minBlock);
    const method = endpoint.method.toUpperCase();
    const fingerprint = writes || price ? fingerprintOf(method, c.req.path, search, body.bytes) : "";
    const repeatKey = writes ? idempotencyKey(incoming.headers["idempotency-key"]) : undefined;
    const till = price
      ? await openTill(
          deps.payments,
          {
            operation: price,
            method,
            path: c.req.path,
            declaration: declarationOf(endpoint, c.req.param()),
            search,
            body: body.bytes,
            headers: incoming.headersDistinct,
            wallet: caller && "wallet" in caller ? caller.wallet : null,
            signedIn: async () => (hasCredential(incoming) ? walletOf(await signIn("siwa")) : null),
            client: network,
            fingerprint,
            now,
          },
          takePayment,
        )
      : undefined;
    if (till?.given) await deps.limits.take([["payments", caller ? nameOf(caller) : network]], now);
    // HEAD is told the terms like GET, and never gets what they are for.
    if (till && till.price > 0n && incoming.method === "HEAD") throw till.refusal();
    const answer = async () =>
      endpoint.handler({
        deps,
        params,
        query: options,
        body: input,
        caller,
        requestId,
        clientAddress,
        reader: key ? nameOf(key) : network,
        response: outgoing,
        idempotencyKey: repeatKey,
        fingerprint,
        now,
        payment: till ?? FREE_TILL,
        lastEventId: endpoint.stream ? incoming.headers["last-event-id"]?.toString() : undefined,
        count: async (limit, who) => deps.limits.take([[limit, who]], now, outgoing),
        header: (name) => incoming.headers[name]?.toString(),
      });
    const handle = till ? () => withPayment(deps.payments, till, answer) : answer;
    // What only reads is repeated by asking again.
    if (repeatKey === undefined || bucket === "reads") return handle();
    const scope = caller ? nameOf(caller) : clientAddress;
    const mayKeep = mayKeepAnswer(deps.limits, caller, network, now);
    return once(deps, { scope, key: repeatKey, fingerprint, requestId, mayKeep }, handle);
  }

  /** @throws Failure unauthenticated for a key that is not good */
  async function readingKey(header: string | string[], network: string, now: number): Promise<ReadingKey | null> {
    const known = machinery.readingKeys.known(header, now);
    if (known !== undefined) return known;
    const attempt = machinery.deps.limits.attempt(network, now);
    return attempt.end(machinery.readingKeys.check(header, attempt, now));
  }

  const represent = representationOf(endpoint);
  const observe = machinery.deps.meter?.route(endpoint.method, endpoint.path);
  const answer = async (c: HttpContext): Promise<HttpAnswer> => {
    const startedAt = observe ? performance.now() : 0;
    const requestId = String(c.env.outgoing.getHeader("X-Request-Id"));
    let answered: HttpAnswer;
    try {
      answered = await represent(c.env, await reply(c, requestId));
    } catch (error) {
      answered = errorAnswer(toFailure(error, machinery.deps.log, requestId), requestId);
    }
    observe?.(answered.status, performance.now() - startedAt);
    return answered;
  };
  return isTracing() ? inSpan(endpoint, machinery, answer) : answer;
}

/** Answers in a span that goes on with the trace of a proxy of ours, and begins one for everybody else. */
function inSpan({ method, path }: Endpoint, { fromProxy }: Machinery, answer: (c: HttpContext) => Promise<HttpAnswer>) {
  const name = `${method.toUpperCase()} ${path}`;
  return (c: HttpContext): Promise<HttpAnswer> => {
    const { incoming, outgoing } = c.env;
    const attributes = {
      "http.request.method": incoming.method ?? "",
      "http.route": path,
      "agents.request_id": String(outgoing.getHeader("X-Request-Id")),
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

/** Longest body kept by its Idempotency-Key, characters; for a client without a credential, and for a caller. */
const KEPT_LENGTH = { client: 4_096, caller: 65_536 };

function mayKeepAnswer(limits: RateLimits, caller: Caller | undefined, network: string, now: number): MayKeep {
  const policy = caller ? "kept-answers-of-callers" : "kept-answers";
  return async (length) => {
    if (length > (caller ? KEPT_LENGTH.caller : KEPT_LENGTH.client)) return false;
    return Promise.resolve()
      .then(() => limits.take([[policy, network]], now))
      .then(
        () => true,
        () => false,
      );
  };
}

/** What a paid answer depends on beside its address. */
const PAID_VARY = ["Authorization", "X-SIWA", "Payment-Authorization", ...PAYMENT_HEADERS].join(", ");

const hasCredential = ({ headers }: IncomingMessage) =>
  headers.authorization !== undefined || headers["x-siwa"] !== undefined;
const walletOf = (caller: Caller | undefined) => (caller && "wallet" in caller ? caller.wallet : null);

/** A refusal for want of a credential tells the price already: crawlers look for the terms without one. */
const withOffer =
  (deps: ApiParts, endpoint: Endpoint, operation: Operation, path: string) => async (error: unknown) => {
    if (!(error instanceof Failure) || error.code !== "unauthenticated") throw error;
    const price = await deps.payments.price(operation).catch(() => null);
    if (!price || price.units === 0n) throw error;
    const { headers, extra } = paymentRequired(
      deps.payments.offers,
      deps.payments.termsFor({ operation, path, declaration: declarationOf(endpoint, null) }, price),
      null,
    ).options;
    throw new Failure(error.code, error.message, {
      ...error.options,
      headers,
      extra: { ...extra, ...error.options.extra },
    });
  };

/** The reply as an HTTP response: validators and 304 for public reads, nothing kept of the rest. */
function representationOf(endpoint: Endpoint) {
  // Much of what is asked for again and again has not changed since the last time.
  let last: { content: string; etag: string } | undefined;
  function etagOf(content: string | Uint8Array): string {
    if (typeof content !== "string") return strongEtag(content);
    if (last?.content !== content) last = { content, etag: strongEtag(content) };
    return last.etag;
  }

  return async ({ incoming, outgoing }: HttpContext["env"], reply: Reply): Promise<HttpAnswer> => {
    const { status, type, content } = reply;
    const headers: Record<string, string> = { "content-type": type, ...reply.headers };
    if (typeof content === "object" && "stream" in content) {
      Object.assign(headers, content.headers);
      return { status, headers, body: incoming.method === "HEAD" ? null : content };
    }
    const costly = typeof content === "object" && "make" in content ? content : undefined;
    const forAll =
      isOpen(endpoint.guard.caller) && !(endpoint.guard.caller === "anyoneOrSiwa" && hasCredential(incoming));
    if (!forAll || endpoint.guard.price) headers["cache-control"] = "private, no-store";
    else if (endpoint.method !== "get" || status !== 200) headers["cache-control"] ??= CACHE.never;
    else {
      headers["cache-control"] ??= endpoint.cache ?? CACHE.revalidate;
      headers.etag = costly ? costly.etag : etagOf(content as string | Uint8Array);
      // A 304 cannot take a header back from what a cache has kept: what was stale is another representation.
      const stale = outgoing.getHeader("X-Index-Stale");
      if (stale !== undefined) headers.etag = strongEtag(`${headers.etag} ${stale}`);
      if (isNotModified(incoming.headers["if-none-match"], headers.etag)) {
        delete headers["content-type"];
        return { status: 304, headers, body: null };
      }
    }
    if (!costly) return { status, headers, body: content as HttpAnswer["body"] };
    // HEAD tells of costly bytes without making them; only their length it cannot tell.
    const bytes = incoming.method === "HEAD" ? null : await costly.make();
    return { status, headers, body: bytes as Uint8Array<ArrayBuffer> | null };
  };
}

/** Checks one part of the request. @throws Failure invalid_input naming each problem by its path */
export function check(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value, { error: issueText });
  if (parsed.success) return parsed.data;
  const details = issueDetails(parsed.error, part);
  const [first] = details;
  return fail("invalid_input", `The request is not valid: ${first?.path} ${first?.message}.`, { details });
}

/**
 * Tells which block the answer is of, waiting for the one that is asked for. The header is set before the data are
 * read, so the answer may be newer than it says, never older.
 */
export async function showIndex(
  { index }: ApiParts,
  outgoing: AnswerHeaders,
  block: number | undefined,
): Promise<void> {
  if (!index.state.ready)
    fail("indexer_behind", "The index is being built and has nothing to show yet.", { retryAfter: 5 });
  const reached = block === undefined || index.block >= block || (await index.waitFor(block, MIN_BLOCK_WAIT_MS));
  outgoing.setHeader("X-Indexed-Block", String(index.block));
  if (index.state.stale) outgoing.setHeader("X-Index-Stale", headerText(index.state.reason ?? "stale"));
  if (!reached) fail("indexer_behind", `Block ${block} is not indexed yet.`, { extra: { indexedBlock: index.block } });
}

const headerText = (text: string) => text.replace(/[^\x20-\x7e]/g, " ").slice(0, 200);

function fingerprintOf(method: string, path: string, search: string, body: Buffer): string {
  const head = `${method} ${path}?${search}\n`;
  return hash("sha256", Buffer.concat([Buffer.from(head), body]), "hex");
}
