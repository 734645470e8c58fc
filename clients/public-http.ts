/**
 * HTTP to addresses that users and foreign documents name. The check applies to the resolved address that is dialled, so a
 * name that later resolves to another address (DNS rebinding) passes no check it should fail.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction, Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { isOneHost, urlOf } from "../core/urls.ts";
import { openTunnels, type Proxies } from "./http/egress.ts";
import { exchange, type IncomingAnswer, type Limits, OversizeAnswer } from "./http/exchange.ts";
import { type Allowance, isDiallable, publicUrl, RefusedTarget } from "./http/public-address.ts";
import type { ForeignRequest, RequestSigner } from "./ports.ts";

// Bounds of what one untrusted answer gives the parser of HTTP to do. It counts headers and body only: heads of status
// 1xx, extensions of chunks and trailers have no end, and what it refuses it parses to the end of the piece.

/** Max bytes that the parser gets at once. */
const PIECE_BYTES = 2_048;
/** Max pieces of one answer: a piece of one byte costs as much time as one of a kilobyte. */
const MAX_PIECES = 2_500;
/** Pieces of any size at the beginning of an answer; those after them have `BYTES_OF_PIECE` bytes on average, or more. */
const FIRST_PIECES = 24;
const BYTES_OF_PIECE = 64;

/**
 * Bound: an untrusted answer, 1.5 MB on the wire, 2,500 pieces and 16 heads of 1xx; 50,000 values; 64 events of an
 * endpoint (workers/offers/ask-endpoint.ts) and 2 open streams of a host.
 * @param maxBytes of one answer with everything around its body; beyond it the connection is closed
 */
function boundAnswers(socket: Socket, maxBytes: number): void {
  const read = socket.read.bind(socket);
  let written = 0;
  let size = 0;
  let pieces = 0;
  socket.read = (bytes?: number) => {
    if (bytes !== undefined) return read(bytes);
    // What was refused is read no further.
    if (socket.destroyed) return null;
    // A request was sent meanwhile: what comes now is its answer.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      size = 0;
      pieces = 0;
    }
    const piece: Buffer | null = read(socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined);
    if (piece === null) return null;
    size += piece.length;
    pieces++;
    if (size > maxBytes) socket.destroy(new OversizeAnswer(`an answer of more than ${maxBytes} bytes`));
    else if (pieces > Math.min(MAX_PIECES, FIRST_PIECES + size / BYTES_OF_PIECE))
      socket.destroy(new Error("an answer letter by letter"));
    else return piece;
    return null;
  };
}

export { RefusedTarget, UnusualPort } from "./http/public-address.ts";

export type PublicRequest = Omit<ForeignRequest, "url" | "isProbe">;

export type PublicHttp = {
  /**
   * Follows no redirect: it is an answer, and `redirectOf` says where it leads.
   * @throws RefusedTarget when the URL or the resolved address must not be dialled; no connection was opened to it.
   *   OversizeAnswer for an answer that is too large; undici's errors when there is no answer.
   */
  request(url: string, request?: PublicRequest): Promise<IncomingAnswer>;
  close(): Promise<void>;
};

type Resolve = (name: string) => Promise<readonly { address: string; family: number }[]>;

export type PublicHttpOptions = Allowance & {
  userAgent: string;
  /** Through which everything is dialled: the proxy resolves the names, and has to refuse inner addresses. */
  proxies?: Proxies | undefined;
  resolve?: Resolve;
  /** Signs each request, each hop of redirects for its own host. */
  signer?: RequestSigner | null;
  limits?: Partial<Omit<Limits, "maxBytes">>;
  /** Max connections to one origin; further requests wait, and their time limits run meanwhile. */
  connections?: number;
  /** Max bytes of one answer with its heads, extensions and trailers; more than any `maxBytes` that is asked for. */
  maxWireBytes?: number;
};

const LIMITS = { headersMs: 5_000, bodyMs: 3_000, totalMs: 8_000 };
const MAX_BYTES = 1_000_000;
/** Max bytes of an answer with its heads, extensions and trailers. */
const MAX_WIRE_BYTES = 1_500_000;
const CONNECT_MS = 3_000;
const CONNECTIONS_PER_HOST = 4;
/** Statuses that name another place for a GET, and those that keep method and body (RFC 9110, section 15.4). */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const KEEPS_METHOD = new Set([307, 308]);

export function openPublicHttp(options: PublicHttpOptions): PublicHttp {
  const {
    userAgent,
    proxies,
    signer,
    limits,
    connections = CONNECTIONS_PER_HOST,
    resolve = lookupAll,
    maxWireBytes = MAX_WIRE_BYTES,
    ...allowance
  } = options;
  // HTTP/2 lets an untrusted server open streams, windows and header tables in this process, and no limit here covers them.
  const dial = buildConnector({ timeout: CONNECT_MS, lookup: checkedLookup(resolve, allowance), allowH2: false });
  const tunnels = proxies && openTunnels(proxies, CONNECT_MS);
  const agent = new Agent({
    allowH2: false,
    connections,
    keepAliveTimeout: 4_000,
    // Node does not call the lookup for a literal address, so it is checked here.
    connect: (target, done) => {
      const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
      if (/^[\d.]+$|:/.test(host) && !isDiallable(host, allowance)) return done(new RefusedTarget(NOT_PUBLIC), null);
      const bounded: buildConnector.Callback = (...[error, socket]) => {
        if (error) return done(error, null);
        boundAnswers(socket, maxWireBytes);
        done(null, socket);
      };
      const dialOver = (tunnel: Socket | null) => {
        if (tunnel === null) dial(target, bounded);
        else if (target.protocol === "https:") dial({ ...target, httpSocket: tunnel }, bounded);
        else bounded(null, tunnel);
      };
      if (tunnels) tunnels.open(target).then(dialOver, (error) => done(error, null));
      else dialOver(null);
    },
  });

  async function request(text: string, options: PublicRequest = {}): Promise<IncomingAnswer> {
    const { method = "GET", headers = {}, body, maxBytes = MAX_BYTES, headOnly = false, onEvent, signal } = options;
    const url = publicUrl(text, allowance);
    const outgoing = {
      method,
      url,
      headers: { "user-agent": userAgent, ...headers, ...signer?.headersFor(url) },
      ...{ headOnly, signal },
      ...(body !== undefined && { body }),
      ...(onEvent && { onEvent }),
    };
    return exchange(agent, outgoing, { ...LIMITS, ...limits, maxBytes }).catch(refusalOr);
  }

  return {
    request,
    async close() {
      await agent.destroy();
      await tunnels?.close();
    },
  };
}

/**
 * The system's own lookups share a few threads with the whole process: four names whose servers never answer would block
 * all others. This resolver waits on sockets, so lookups do not block each other.
 */
const resolver = new Resolver({ timeout: 1_500, tries: 2 });

/** All addresses of a name by DNS, IPv4 first; this machine's own name is resolved by the system. */
const lookupAll: Resolve = async (name) => {
  if (/(?:^|\.)localhost\.?$/i.test(name)) return systemLookup(name, { all: true });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0 && v4.status === "rejected") throw v4.reason;
  return addresses;
};

const NOT_PUBLIC = "must be on a public address";

/** Resolves a name for a socket. It fails when any of the name's addresses must not be dialled. */
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

/** Throws the dialler's refusal, which undici may have wrapped, or the error itself. */
function refusalOr(error: unknown): never {
  const { cause } = error as { cause?: unknown };
  throw cause instanceof RefusedTarget ? cause : error;
}

/**
 * The request that an answer asks for in place of `url`; it carries no credentials to another origin. Null for an answer that
 * is no redirect. A request with a body follows only a redirect that keeps the method (frameworks send `/mcp` to `/mcp/` so)
 * and the host, with or without `www.`, and never from https to http: no server may make us POST to another host.
 * @throws RefusedTarget when it leads to what is no URL
 */
export function redirectOf(
  answer: IncomingAnswer,
  url: URL,
  { method = "GET", headers = {} }: Pick<PublicRequest, "method" | "headers">,
): { url: URL; headers: Record<string, string> } | null {
  const { location } = answer.headers;
  const isGet = method === "GET";
  if (!(isGet ? REDIRECTS : KEEPS_METHOD).has(answer.status) || !location) return null;
  const next = urlOf(location, url);
  if (next === null) throw new RefusedTarget("must not redirect to what is no URL");
  if (!isGet && !(isOneHost(url, next) && ["https:", url.protocol].includes(next.protocol))) return null;
  return { url: next, headers: next.origin === url.origin ? headers : withoutCredentials(headers) };
}

const withoutCredentials = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie|x-api-key)$/i.test(name)));
