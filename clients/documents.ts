/** Documents that foreign URIs lead to: fetched from public addresses only, small, with little patience. */
import { OversizeAnswer } from "./http/exchange.ts";
import type { Documents } from "./ports.ts";
import { type PublicHttp, RefusedTarget } from "./public-http.ts";

const MAX_BYTES = 1_048_576;

export function foreignDocuments(http: PublicHttp): Documents {
  return {
    async get(url, etag) {
      try {
        const { status, headers, text } = await http.request(url, {
          headers: { accept: "application/json", ...(etag && { "if-none-match": etag }) },
          maxBytes: MAX_BYTES,
          redirects: 3,
        });
        if (status === 304 && etag) return { kind: "unchanged" };
        if (status === 200) return { kind: "fetched", text, etag: headers.etag ?? null };
        return {
          kind: "failed",
          reason: `The server answers with status ${status}.`,
          final: status === 404 || status === 410,
        };
      } catch (error) {
        if (error instanceof RefusedTarget)
          return { kind: "failed", reason: `The address ${error.message}.`, final: true };
        if (error instanceof OversizeAnswer)
          return { kind: "failed", reason: "The file is larger than 1 MiB.", final: true };
        return { kind: "failed", reason: "The server does not answer.", final: false };
      }
    },
  };
}
