/** An endpoint is one value: contract and handler together. Routing, checks, documents and discovery all derive from it. */
import { z } from "zod";
import type { Networks, Who } from "../core/callers/shares.ts";
import type { ErrorCode } from "../core/errors.ts";
import { ignoredIn } from "../core/ignored.ts";
import type { Operation } from "../core/payments/prices.ts";
import type { Checkout } from "../payments/checkout.ts";
import type { Caller, CallerOf, CallerRule } from "./caller-types.ts";
import type { Bucket, OwnLimit } from "./guards/rate-limits.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { ResponseEnd } from "./http/concurrency-limit.ts";
import { minBlock } from "./parameters.ts";
import { type Answers, type Json, json, type Reply, type ReplyOf } from "./reply.ts";

type Method = "get" | "post" | "put" | "delete";

/** The conditions in front of a handler: who may call, at what price, how often. */
export type Guard = { caller: CallerRule; price?: Operation; bucket: Bucket };

/** A guard as an endpoint declares it. By default anyone may call, and GET counts as a read, the other methods as a write. */
export type GuardSpec = Partial<Guard>;

type RuleOf<G extends GuardSpec> = G extends { caller: infer R extends CallerRule } ? R : "anyone";

/** One request, checked and typed. */
export type Call<P, Q, B, C> = {
  deps: HandlerDeps;
  params: P;
  query: Q;
  body: B;
  /** The body as JSON has it, before its schema: what a signature of it covers. */
  sent: unknown;
  caller: C;
  requestId: string;
  /** The client's network address, as far as trusted proxies go. */
  clientAddress: string;
  networks: Networks;
  /** Reads are counted against it: the name of the request's API key of scope `read`, else the client's networks. */
  reader: Who;
  /** The end of the response: slots that a request has acquired are released with it. */
  response: ResponseEnd;
  idempotencyKey: string | undefined;
  /** Hash of method, path, query and body: equal requests have equal fingerprints. */
  fingerprint: string;
  /** When the request arrived: milliseconds since the epoch, and the same as a date. */
  now: number;
  at: Date;
  /** The payment of this request; free where there is no price. */
  payment: Checkout;
  /** The id of the last event that a reader of a stream has seen; the stream continues after it. */
  lastEventId: string | undefined;
  /**
   * Counts the request against a limit of its operation's own, and shows it in the RateLimit headers.
   * @throws Failure rate_limited
   */
  count(limit: OwnLimit, who: Who): Promise<void>;
  /** The request is a HEAD: the handler of its GET answers it, and nothing of the body is sent. */
  isHead: boolean;
  /** A header of the request by its lower-case name, for protocols that use headers. Never that of a credential: use `caller`. */
  header(name: string): string | undefined;
};

/** How long caches may keep a public GET, as a Cache-Control value. */
export const CACHE = {
  /** Data of the index: revalidated at every use; a 304 costs almost nothing. */
  revalidate: "public, max-age=0, must-revalidate",
  /** For data that marketplaces read in bulk. */
  minute: "public, max-age=60, stale-while-revalidate=300",
  /** For content that changes with a release. */
  release: "public, max-age=300, stale-while-revalidate=86400",
  /** For answers that are true only now. */
  never: "no-store",
} as const;

/** An endpoint without what its subject has in common. */
type OwnSpec<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  G extends GuardSpec = GuardSpec,
  R extends Answers = Answers,
> = {
  /** GET by default. */
  method?: Method;
  /** OpenAPI template. A parameter fills a whole segment (`/card/{file}`, not `/card/{id}.png`). */
  path: string;
  operationId: string;
  tag?: string;
  summary: string;
  description?: string;
  guard?: G;
  /** Answers from the index: carries X-Indexed-Block, understands `minBlock`, 503 before there is an index. */
  data?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** Answers a body that is no JSON (undefined) or not of the schema, in the words of a protocol with errors of its own. */
  malformed?(sent: unknown): Reply;
  /** By status: successes, and answers with a body of their own. Errors come from `errors`. */
  responses: R;
  /** Error codes of its own, beyond those that follow from guard, parameters and body. */
  errors?: ErrorCode[];
  cache?: (typeof CACHE)[keyof typeof CACHE];
  /** Its success is a stream of events: it stays open and accepts Last-Event-ID. */
  stream?: boolean;
  /** Its success is sent in slices as they are read: it has no ETag, and few of a kind run at once. */
  sliced?: boolean;
  /** Kept out of discovery's lists: aliases and pages for people. */
  unlisted?: boolean;
  /** The path of the endpoint that this one is another path of (api/routes/aliases.ts); `deprecated`: an earlier one. */
  aliasOf?: string;
  deprecated?: true;
  /**
   * A handler behind POST or PUT must be repeatable: after a crash the same request runs again under its
   * Idempotency-Key, and it must find the effect of the first run instead of repeating it.
   */
  handler(
    call: Call<z.output<P>, z.output<Q>, z.output<B>, CallerOf[RuleOf<G>]>,
    json: Json<R>,
  ): Promise<ReplyOf<R>> | ReplyOf<R>;
};

export type EndpointSpec<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  G extends GuardSpec = GuardSpec,
  R extends Answers = Answers,
> = OwnSpec<P, Q, B, G, R> & { tag: string };

/** An endpoint without its types, as the request handler sees it. */
export type Endpoint = Omit<EndpointSpec, "method" | "handler" | "guard"> & {
  method: Method;
  guard: Guard;
  handler(call: Call<unknown, unknown, unknown, Caller | undefined>): Promise<Reply> | Reply;
};

const NO_PARAMETERS = z.object({});

/** Declares an endpoint. Its schemas give the types of what the handler receives and answers. */
export function endpoint<
  P extends z.ZodObject = typeof NO_PARAMETERS,
  Q extends z.ZodObject = typeof NO_PARAMETERS,
  B extends z.ZodType = z.ZodUndefined,
  const G extends GuardSpec = { caller: "anyone" },
  const R extends Answers = Answers,
>(spec: EndpointSpec<P, Q, B, G, R>): Endpoint {
  const { method = "get" } = spec;
  const { caller = "anyone", price, bucket = method === "get" ? "reads" : "writes" }: GuardSpec = spec.guard ?? {};
  const handler = (call: Parameters<typeof spec.handler>[0]) => spec.handler(call, json as Json<R>);
  return { ...spec, method, handler, guard: { caller, bucket, ...(price && { price }) } } as Endpoint;
}

/** What the endpoints of one subject have in common. `named`: the parameters of those whose path names one of its things. */
type Common<C extends GuardSpec, N extends z.ZodRawShape> = Pick<EndpointSpec, "tag" | "data" | "cache"> & {
  guard?: C;
  named?: N;
};

/**
 * @returns declares the endpoints of one subject: each states what is its own, also in place of what they have in common. One
 *   that names a thing can answer that there is none.
 */
export const endpointsOf = <
  const C extends GuardSpec = { caller: "anyone" },
  N extends z.ZodRawShape = Record<never, never>,
>({
  named,
  ...common
}: Common<C, N>) => {
  const params = named && z.object(named);
  return <
    P extends z.ZodObject = z.ZodObject<N>,
    Q extends z.ZodObject = typeof NO_PARAMETERS,
    B extends z.ZodType = z.ZodUndefined,
    const G extends GuardSpec = C,
    const R extends Answers = Answers,
  >(
    spec: OwnSpec<P, Q, B, G, R>,
  ): Endpoint => {
    const names = params !== undefined && spec.params === undefined && spec.path.includes("{");
    const errors = [...(spec.errors ?? []), ...(names ? (["not_found"] as const) : [])];
    return endpoint({ ...common, ...(names && { params }), ...spec, errors } as EndpointSpec<P, Q, B, G, R>);
  };
};

/**
 * Whether an answer needs the database: then the request is refused while the database is overloaded. An endpoint needs
 * it when it has `data`, a caller, a body, a bucket of writes, or an error of its own for an absent database.
 */
export const asksDatabase = ({ data, guard, method, errors = [] }: Endpoint): boolean =>
  data === true ||
  guard.caller !== "anyone" ||
  method !== "get" ||
  (guard.bucket !== "reads" && guard.bucket !== "unlimited") ||
  errors.includes("upstream_unavailable");

/** Whether requests of an endpoint only read, so that replicas may answer them: those that count as reads and are free. */
export const onlyReads = ({ guard: { bucket, price } }: Endpoint): boolean => bucket === "reads" && price === undefined;

/** All query parameters of an endpoint: its own, and `minBlock` on data routes. */
export const queryOf = ({ data, query }: Pick<Endpoint, "data" | "query">): z.ZodObject | undefined =>
  data ? (query ?? NO_PARAMETERS).extend({ minBlock }) : query;

/** The member `ignored` of an answer: names the fields of the body that were not read. */
export function ignoredOf(body: unknown): { ignored?: string[] } {
  const ignored = ignoredIn(body);
  return ignored.length > 0 ? { ignored } : {};
}
