/** The API as a whole: the listener that Node's server calls, in front of the web terminal and the router. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthorizationServerMetadata } from "../clients/ports.ts";
import { Failure } from "../core/errors.ts";
import { hasLongHost } from "../core/urls.ts";
import { admit } from "../db/sql/turn-pool.ts";
import type { ApiDeps } from "./deps.ts";
import type { Endpoint } from "./endpoint.ts";
import { readingKeys } from "./guards/api-key.ts";
import { tokensOfClient } from "./guards/rate-limits.ts";
import { walletGuard } from "./guards/wallet.ts";
import { depsForReads, openDeps } from "./handler-deps.ts";
import { clientAddressBehind, comesFrom, networksOf } from "./http/client-network.ts";
import { errorAnswer } from "./http/error-answer.ts";
import { answerOptions, constantHeaders, requestIdOf } from "./http/headers.ts";
import { ResponseHead } from "./http/response-head.ts";
import { pricedDocument } from "./openapi/document.ts";
import type { Machinery } from "./request-handler.ts";
import { allowedMethods, createRouter } from "./router.ts";
import { llmsPage } from "./routes/docs.ts";
import { ENDPOINTS } from "./routes/index.ts";
import { aboutPages, ofView } from "./web/about.ts";
import { docsOf } from "./web/markdown.ts";
import { type WebServerOptions, webServer } from "./web/serve.ts";

export type Api = {
  /** Takes a request from Node's HTTP server; never throws. */
  listener(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Ends the open event streams, which would not end by themselves. */
  stop(): void;
  endpoints: readonly Endpoint[];
};

/** @throws Error when the configuration names trusted proxies that are no addresses */
export function createApi(given: ApiDeps, endpoints: readonly Endpoint[] = ENDPOINTS): Api {
  const deps = openDeps(given);
  const { config, meter, streams } = deps;
  const { service, http, chain } = config;
  meter?.streams(() => streams.count);
  const machinery: Machinery = {
    deps,
    wallets: walletGuard(
      { hosts: service.hosts, name: service.name, webUrl: service.webUrl, chainId: chain.id },
      deps.signed,
    ),
    addressed: {
      hosts: new Set([...service.hosts, new URL(service.publicUrl).host].map((host) => host.toLowerCase())),
      scheme: new URL(service.publicUrl).protocol,
      chainId: chain.id,
    },
    readingKeys: readingKeys(deps.db),
    clientAddress: clientAddressBehind(http.trustedProxies),
    readDeps: depsForReads(deps),
    ...admissions(deps),
    fromProxy: comesFrom(http.trustedProxies),
  };
  const headers = constantHeaders(service.publicUrl);
  const methodsOf = allowedMethods(endpoints);
  const docs = docsOf(endpoints, {
    overview: () => llmsPage(endpoints, service, deps.payments.shown()),
    document: () => pricedDocument(endpoints, deps).document,
    prices: () => deps.payments.shown(),
  });
  const web = webServer({
    siteName: service.name,
    about: aboutPages(deps, docs.titles),
    otherwise: (path) => ofView(path, deps.site),
    text: docs.text,
    ...callsOf(given),
    isEndpoint: (path) => methodsOf(path).length > 0,
    count: async (incoming, head) => {
      const client = { networks: networksOf(machinery.clientAddress(incoming)), key: null };
      await deps.limits.take(tokensOfClient("reads", true, client), deps.now(), head);
    },
    aboutMs: deps.aboutMs,
  });
  const route = createRouter(endpoints, machinery, methodsOf);
  return {
    endpoints,
    stop: () => streams.endAll(),
    listener(incoming, outgoing) {
      const head = new ResponseHead(outgoing, requestIdOf(incoming), headers);
      const { url: requested = "" } = incoming;
      const target = withoutTrailingSlash(requested);
      if (target !== null) {
        // A write is sent again by the client: what was signed or paid for names a path.
        if (!READS.has(incoming.method)) return void head.send(incoming, movedTo(target));
        incoming.url = target;
      }
      // A page where the client takes one and no endpoint answers, or a browser navigates; else an endpoint's answer.
      if (web(incoming, head)) return void meter?.unrouted("page");
      if (incoming.method === "OPTIONS") {
        meter?.unrouted("options");
        return void answerOptions(incoming, head, methodsOf((incoming.url ?? "").split("?", 1)[0]!));
      }
      const url = requestUrl(incoming);
      incoming.url = requested;
      if (url !== null) return void route(url, incoming, head);
      meter?.unrouted("unusable");
      head.send(incoming, errorAnswer(UNUSABLE, head.requestId));
    },
  };
}

/** What pages of the terminal call in addition to the API: endpoints of the identity provider's authorization server, whose addresses are read from it. */
function callsOf({ authorizationServer, now }: ApiDeps): Pick<WebServerOptions, "origins" | "originsOfReturn"> {
  const originsIn = (metadata: AuthorizationServerMetadata | null) => {
    const called = metadata ? [metadata.tokenEndpoint, metadata.revocationEndpoint] : [];
    return [...new Set(called.flatMap((url) => (url === null ? [] : [new URL(url).origin])))];
  };
  return {
    origins: () => originsIn(authorizationServer?.known(new Date(now())) ?? null),
    originsOfReturn: async () => originsIn((await authorizationServer?.metadata(new Date(now()))) ?? null),
  };
}

/** Admission of each request by the connections it will take: a read's are those of a replica where there is one. */
const admissions = ({ db, replicas }: Pick<ApiDeps, "db" | "replicas">): Pick<Machinery, "admit" | "admitRead"> => ({
  admit: () => admit(db),
  admitRead: () => admit(replicas?.next() ?? db),
});

const READS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);
const movedTo = (target: string) => ({ status: 308, headers: { location: target }, body: null });

const UNUSABLE = new Failure("invalid_input", "The request line or the Host header cannot be used.");

const PLAIN_HOST = /^[a-z0-9._-]+(?::(?!80$)\d{1,5})?$/;
/** Path and query that the URL parser leaves unchanged: no escape, no dot segment, nothing that it would escape. */
const PLAIN_TARGET = /^\/(?!.*\/\.{1,2}(?:[/?]|$))(?!\.{1,2}(?:[/?]|$))[\w.~!$&()*+,;=:@/?-]*$/;

/** A path that ends in one slash and does not begin with two: as `Location`, that would name another host. */
const WITH_SLASH = /^(\/(?!\/)[^?]*[^/?])\/(\?.*)?$/;

/** The target without the slash at the end of its path; null for one without it. */
function withoutTrailingSlash(target: string): string | null {
  if (!target.endsWith("/") && !target.includes("/?")) return null;
  const [, path, query = ""] = WITH_SLASH.exec(target) ?? [];
  return path === undefined ? null : path + query;
}

/**
 * @returns an http URL with path and query, normalized; null for a target or a Host that cannot be used (RFC 9112,
 *   sections 3.2 and 3.3)
 */
export function requestUrl({ url: target = "", headers: { host } }: IncomingMessage): string | null {
  if (host !== undefined && PLAIN_HOST.test(host) && PLAIN_TARGET.test(target)) return `http://${host}${target}`;
  // The URL parser reads a backslash as a slash; a proxy in front may not.
  if (target.split("?", 1)[0]!.includes("\\")) return null;
  if (/^https?:\/\//.test(target)) return hasLongHost(target) ? null : (URL.parse(target)?.href ?? null);
  if (!host || !target.startsWith("/") || hasLongHost(`http://${host}`)) return null;
  const url = URL.parse(`http://${host}${target}`);
  // A Host with user information, a path or a query would move the target into another part of the URL.
  return url?.hostname === host.replace(/:\d*$/, "").toLowerCase() ? url.href : null;
}
