/**
 * HTTP to addresses that users and foreign documents name. Checked is the very address that is dialled, after the name
 * was resolved, so a name that resolves to another address the next time gains nothing.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { urlOf } from "../core/urls.ts";
import { exchange, type Incoming, type Limits } from "./http/exchange.ts";
import { type Allowance, isDiallable, publicUrl, RefusedTarget } from "./http/public-address.ts";

export { RefusedTarget } from "./http/public-address.ts";

export type PublicRequest = {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  maxBytes?: number;
  /** How many redirects of a GET are followed, each checked like the first URL; none by default. */
  redirects?: number;
  /** The answer's status and headers are all that is wanted: its body is thrown away, however large or slow it is. */
  headOnly?: boolean;
};

/** The answer, and the URL that gave it after redirects. */
export type PublicAnswer = Incoming & { url: string };

export type PublicHttp = {
  /**
   * @throws RefusedTarget when the URL, a redirect or the address behind either must not be dialled; then no connection
   *   was opened to it. OversizeAnswer for an answer that is too large, undici's errors when there is no answer.
   */
  request(url: string, request?: PublicRequest): Promise<PublicAnswer>;
  close(): Promise<void>;
};

/** Every address of a name. */
export type Resolve = (name: string) => Promise<readonly { address: string; family: number }[]>;

export type PublicHttpOptions = Allowance & {
  userAgent: string;
  resolve?: Resolve;
  limits?: Partial<Omit<Limits, "maxBytes">>;
  /** To one origin at once; further requests wait, and their time runs. */
  connections?: number;
};

const LIMITS = { headersMs: 5_000, bodyMs: 3_000, totalMs: 8_000 };
const MAX_BYTES = 1_000_000;
const CONNECT_MS = 3_000;
const CONNECTIONS = 4;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function openPublicHttp(options: PublicHttpOptions): PublicHttp {
  const { userAgent, limits, connections = CONNECTIONS, resolve = lookupAll, ...allowance } = options;
  const dial = buildConnector({ timeout: CONNECT_MS, lookup: checkedLookup(resolve, allowance) });
  const agent = new Agent({
    connections,
    keepAliveTimeout: 4_000,
    // Node resolves names only; a literal address reaches the socket unasked, so it is looked at here as well.
    connect: (target, done) => {
      const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
      if (/^[\d.]+$|:/.test(host) && !isDiallable(host, allowance)) return done(new RefusedTarget(NOT_PUBLIC), null);
      dial(target, done);
    },
  });

  async function request(text: string, asked: PublicRequest = {}): Promise<PublicAnswer> {
    const { method = "GET", headers = {}, body, maxBytes = MAX_BYTES, redirects = 0, headOnly = false } = asked;
    const url = publicUrl(text, allowance);
    const outgoing = {
      method,
      url,
      headers: { "user-agent": userAgent, ...headers },
      headOnly,
      ...(body !== undefined && { body }),
    };
    const answer = await exchange(agent, outgoing, { ...LIMITS, ...limits, maxBytes }).catch(refusalOr);
    const { location } = answer.headers;
    if (method !== "GET" || redirects <= 0 || !REDIRECTS.has(answer.status) || !location)
      return { ...answer, url: url.href };
    const next = urlOf(location, url);
    if (next === null) throw new RefusedTarget("must not redirect to what is no URL");
    const kept = next.origin === url.origin ? headers : withoutCredentials(headers);
    return request(next.href, { ...asked, headers: kept, redirects: redirects - 1 });
  }

  return { request, close: () => agent.destroy() };
}

/**
 * The system's own lookups share a few threads with all the process does: four names whose servers never answer would
 * hold up every other one. These wait on sockets, each for itself.
 */
const resolver = new Resolver({ timeout: 1_500, tries: 2 });

/** Every address of a name by DNS, IPv4 first; of this machine's own name as the system has it. */
const lookupAll: Resolve = async (name) => {
  if (/(?:^|\.)localhost\.?$/i.test(name)) return systemLookup(name, { all: true });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && v4.status === "rejected") throw v4.reason;
  return found;
};

const NOT_PUBLIC = "must be on a public address";

/** Resolves a name for a socket. One address that must not be dialled spoils the name. */
function checkedLookup(resolve: Resolve, allowance: Allowance): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => !isDiallable(address, allowance)))
          done(new RefusedTarget(NOT_PUBLIC), "");
        else if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error) => done(error, ""),
    );
  };
}

/** Undici may wrap what the dialler threw. */
function refusalOr(error: unknown): never {
  const { cause } = error as { cause?: unknown };
  throw cause instanceof RefusedTarget ? cause : error;
}

const withoutCredentials = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie|x-api-key)$/i.test(name)));
