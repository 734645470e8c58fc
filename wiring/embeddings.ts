/** The provider of embeddings, which the workers send texts of agents to and the API questions. */
import { embeddings, maxAnswerBytes } from "../clients/embeddings.ts";
import type { Http } from "../clients/http.ts";
import type { Embeddings } from "../clients/ports.ts";
import type { Config } from "../config/config.ts";

/** Null without EMBEDDINGS_URL. @param maxMs of a request */
export function openEmbeddings({ embeddings: set }: Config, http: Http, maxMs: number): Embeddings | null {
  if (!set) return null;
  const api = http.upstream({
    name: "The provider of embeddings",
    baseUrl: set.url,
    headers: set.apiKey ? { authorization: `Bearer ${set.apiKey}` } : {},
    rate: { burst: 20, perSecond: 10 },
    maxBytes: maxAnswerBytes(set.dimensions),
    maxMs,
  });
  return embeddings(api, set);
}
