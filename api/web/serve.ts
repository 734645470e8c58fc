/** The web terminal in front of the API: its page for browsers that navigate, its files for ever, and nothing else. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { inTime } from "../../runtime/in-time.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { qualityOf, wantsPage } from "../http/accept.ts";
import { CATALOG_LINKS } from "../http/headers.ts";
import { forClient, type ResponseHead } from "../http/response-head.ts";
import type { About } from "./about.ts";
import { readWebBundle, siteFiles, type WebBundle } from "./bundle.ts";
import { type PageHead, withHead } from "./head.ts";
import { MARKDOWN, markdownOf } from "./markdown.ts";

/**
 * Scripts, styles, fonts and calls of this origin only; no inline code, no embedding, no framing.
 * @param origins further origins that scripts may call
 */
const pagePolicy = (origins: readonly string[]): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; manifest-src 'self'; connect-src ${["'self'", ...origins].join(" ")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

/** The views of the terminal. An unknown address gets the page too, with status 404. */
const VIEWS = new RegExp(
  `^/(?:${[
    ...["", "discover", "leaderboard", "compare", "people", "groups", "score", "status", "mint", "me", "operator"],
    ...["terminal(?:/[^/]+)?", "agent/[^/]+", "agent/[^/]+/manage(?:/[a-z0-9-]+)?", "owner/[^/]+", "report/[^/]+"],
    ...["people/join", "people/return", "human/[^/]+", "org/[^/]+", "groups/[^/]+"],
    ...["docs", "docs/guide/[a-z0-9-]+", "docs/[A-Za-z0-9]+"],
  ].join("|")})$`,
);
/** A page of the docs that is asked for as Markdown by its name, whatever Accept says. */
const NAMED_MARKDOWN = /^(\/docs(?:\/[^?]+)?)\.md(?:\?|$)/;
/** Of a text: nothing that could be run is in it. */
const NO_SCRIPTS = "default-src 'none'; frame-ancestors 'none'";

/** Never a page: clients here are programs, and a page would look like an answer to them. */
const FOR_PROGRAMS = /^\/(?:api|assets|\.well-known)(?:\/|$)|\.[a-z0-9]{2,5}$/i;

const NOT_BUILT = `<!doctype html><html lang="en"><title>Not built</title><p>The web terminal is not built yet: run <code>npm run generate -- web</code> and load this page again. The API is at <a href="/api/v2">/api/v2</a>.</p></html>`;

const DIST = join(PROJECT_ROOT, "web/dist");

export type WebServerOptions = {
  siteName: string;
  about: About;
  /** The metadata of a page whose subject cannot be read in time. */
  otherwise(path: string): PageHead;
  /** The whole page as Markdown where it is a text; null for a page about a subject, whose Markdown is made from its head. */
  text(path: string): string | null;
  /** Origins other than this one that the scripts of a page may call, as far as they are known. */
  origins(): readonly string[];
  /** The same, once they are known: for the page that calls them first. It may take long, or fail. */
  originsOfReturn(): Promise<readonly string[]>;
  isEndpoint(path: string): boolean;
  /** Counts a page against the reads of its client. @throws Failure rate_limited */
  count(incoming: IncomingMessage, response: ResponseHead): Promise<void>;
  /** Where the built terminal lies. */
  folder?: string;
  /** Max milliseconds a page waits for its metadata; the page itself matters more. */
  aboutMs?: number | undefined;
};

const RETURN = "/people/return";
const ABOUT_MS = 800;
/** Max pages whose metadata are read at the same time; further pages get the default. */
const ABOUT_AT_ONCE = 8;

/** @returns a function that answers requests for the terminal, and returns false for requests to the API */
export function webServer(options: WebServerOptions) {
  const { siteName, about, otherwise, text, isEndpoint, count, folder = DIST, aboutMs = ABOUT_MS, ...calls } = options;
  let bundle: WebBundle | null = null;
  let lookups = 0;
  const built = () => {
    bundle ??= readWebBundle(folder);
    return bundle;
  };

  const siteFile = siteFiles(siteName, built);

  /** Never fails: the page works without its metadata. */
  async function headOf(path: string, target: string): Promise<PageHead> {
    if (lookups >= ABOUT_AT_ONCE) return otherwise(path);
    lookups++;
    return inTime(
      about(target).finally(() => lookups--),
      aboutMs,
      () => otherwise(path),
    );
  }

  async function policyOf(path: string): Promise<string> {
    return pagePolicy(
      path === RETURN ? await inTime(calls.originsOfReturn(), aboutMs, calls.origins) : calls.origins(),
    );
  }

  /** The page for programs of language models. */
  async function markdownAt(url: string, counted: Promise<void>): Promise<SentPage> {
    const path = url.split("?", 1)[0]!;
    const sent = (page: string, status: number) => ({ page, status, policy: NO_SCRIPTS, type: MARKDOWN });
    const refused = await refusalOf(counted);
    if (refused) return { ...sent(markdownOf(otherwise(path)), 429), ...refused };
    if (!VIEWS.test(path)) return sent(markdownOf(otherwise(path)), 404);
    const whole = text(path);
    if (whole !== null) return sent(whole, 200);
    const head = await headOf(path, url);
    return sent(markdownOf(head), head.status);
  }

  /** A client beyond its reads gets the page too, without what costs a read: its calls are refused and say why. */
  async function pageAt({ page, scriptsAt }: WebBundle, url: string, counted: Promise<void>): Promise<SentPage> {
    const path = url.split("?", 1)[0]!;
    const plain = (status: number) => ({
      page: withHead(page, otherwise(path), siteName, scriptsAt(path)),
      status,
      policy: pagePolicy(calls.origins()),
    });
    const refused = await refusalOf(counted);
    if (refused) return { ...plain(429), ...refused };
    if (!VIEWS.test(path)) return plain(404);
    const [head, policy] = await Promise.all([headOf(path, url), policyOf(path)]);
    return { page: withHead(page, head, siteName, scriptsAt(path)), status: head.status, policy };
  }

  return (incoming: IncomingMessage, response: ResponseHead): boolean => {
    const { method, url = "" } = incoming;
    if (method !== "GET" && method !== "HEAD") return false;
    const named = NAMED_MARKDOWN.exec(url)?.[1];
    const path = named ?? url.split("?", 1)[0]!;
    const isSent = siteFile(path, incoming, response);
    if (isSent !== null) return isSent;
    const isView = VIEWS.test(path);
    const isAnswered = isView && (path === "/" || isEndpoint(path));
    // The answer at a view depends on these headers, so every answer there names them for shared caches.
    if (isView) response.setHeader("Vary", isAnswered ? "Accept, Sec-Fetch-Mode" : "Accept");
    const asMarkdown = named !== undefined || prefersMarkdown(incoming);
    const isPage = asMarkdown || prefersPage(incoming, { isView, isAnswered });
    if (!isPage || (!isView && (FOR_PROGRAMS.test(path) || isEndpoint(path)))) return false;
    const send = (sent: SentPage) => sendPage(sent, incoming, response);
    const found = built();
    if (asMarkdown) void markdownAt(named ?? url, count(incoming, response)).then(send);
    else if (found === null) send({ page: undefined, status: 503, policy: pagePolicy([]) });
    else void pageAt(found, url, count(incoming, response)).then(send);
    return true;
  };
}

/** When a client beyond its reads may come again; null for one within them. */
async function refusalOf(counted: Promise<void>): Promise<{ retryAfter: number } | null> {
  try {
    await counted;
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { retryAfter: Math.ceil(error.options.retryAfter ?? 1) };
  }
}

/** Where an endpoint answers too, a page is for browsers that navigate: their scripts call the endpoint. */
function prefersPage({ headers }: IncomingMessage, at: { isView: boolean; isAnswered: boolean }): boolean {
  const mode = headers["sec-fetch-mode"];
  if (at.isAnswered && mode !== undefined && mode !== "navigate") return false;
  return wantsPage(headers.accept, at.isView && !at.isAnswered);
}

/** A language model's program names text/markdown, with what browsers name or alone. */
function prefersMarkdown({ headers: { accept } }: IncomingMessage): boolean {
  const markdown = qualityOf(accept, MARKDOWN);
  return markdown > 0 && ["text/html", "application/json"].every((type) => markdown >= qualityOf(accept, type));
}

/** `page` undefined: the terminal is not built. `retryAfter`: seconds. */
type SentPage = { page: string | undefined; status: number; policy: string; type?: string; retryAfter?: number };

function sendPage(
  { page, status, policy, type = "text/html", retryAfter }: SentPage,
  incoming: IncomingMessage,
  response: ResponseHead,
): void {
  const content = Buffer.from(page ?? NOT_BUILT);
  // A 304 keeps the headers of the stored answer in some caches, so another policy is another version.
  const etag = `"${hash("sha256", Buffer.concat([content, Buffer.from(policy)]), "hex").slice(0, 16)}"`;
  const headers: Record<string, string> = {
    vary: "Accept, Sec-Fetch-Mode",
    link: CATALOG_LINKS.header,
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin-allow-popups",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": page && !retryAfter ? "public, max-age=0, must-revalidate" : "no-store",
    ...(retryAfter && { "retry-after": String(retryAfter) }),
    etag,
  };
  headers["content-type"] = `${type}; charset=utf-8`;
  response.send(incoming, forClient(incoming, response, { status, headers, body: content }));
}
