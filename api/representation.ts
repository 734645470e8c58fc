/** A handler's reply as an HTTP answer: validators for public reads, `no-store` for everything else. */
import type { IncomingMessage } from "node:http";
import { isOpen } from "./caller-types.ts";
import { CACHE, type Endpoint } from "./endpoint.ts";
import { hasCredential } from "./guards/callers.ts";
import { isNotModified, strongEtag } from "./http/content-coding.ts";
import type { HttpAnswer, ResponseHead } from "./http/response-head.ts";
import type { Reply } from "./reply.ts";

/** A request of Node's server, and the head of its response. */
export type Bindings = { incoming: IncomingMessage; head: ResponseHead };

/** @returns makes the response to a request out of a reply of this endpoint */
export function representationOf(endpoint: Endpoint) {
  const etagOf = rememberingEtag();
  const { caller, price } = endpoint.guard;

  return async ({ incoming, head }: Bindings, reply: Reply): Promise<HttpAnswer> => {
    const { status, type, content } = reply;
    const headers: Record<string, string> = { "content-type": type, ...reply.headers };
    if (typeof content === "object" && "stream" in content) {
      Object.assign(headers, content.headers);
      return { status, headers, body: incoming.method === "HEAD" ? null : content };
    }
    const costly = typeof content === "object" && "make" in content ? content : undefined;
    const isPublic = isOpen(caller) && !(caller === "anyoneOrSiwa" && hasCredential(incoming));
    if (!isPublic || price) headers["cache-control"] = "private, no-store";
    else if (endpoint.method !== "get" || status !== 200) headers["cache-control"] ??= CACHE.never;
    else {
      headers["cache-control"] ??= endpoint.cache ?? CACHE.revalidate;
      headers.etag = costly ? costly.etag : etagOf(content as string | Uint8Array);
      // A 304 cannot remove a header from a cache's copy, so a stale answer is another representation.
      const stale = head.getHeader("X-Index-Stale");
      if (stale !== undefined) headers.etag = strongEtag(`${headers.etag} ${stale}`);
    }
    if (!costly) return { status, headers, body: content as HttpAnswer["body"] };
    // Costly bytes are made for those who get them only. HEAD lacks nothing but their length.
    const { etag = "" } = headers;
    const isKnown = incoming.method === "HEAD" || isNotModified(incoming.headers["if-none-match"], etag);
    const bytes = isKnown ? null : await costly.make();
    return { status, headers, body: bytes as Uint8Array | null };
  };
}

/** Strong ETags; the last text is remembered, because what is requested again and again has often not changed. */
function rememberingEtag(): (content: string | Uint8Array) => string {
  let last: { content: string; etag: string } | undefined;
  return (content) => {
    if (typeof content !== "string") return strongEtag(content);
    if (last?.content !== content) last = { content, etag: strongEtag(content) };
    return last.etag;
  };
}
