/** GraphQL and SQL of the indexer, asked on behalf of a reader: bounded in size and time, and ended with its request. */
import { Agent } from "undici";
import { fail } from "../core/errors.ts";
import { exchange, type OutgoingRequest, OversizeAnswer } from "./http/exchange.ts";
import type { IndexQueries, IndexReader, UpstreamMeter } from "./ports.ts";
import { unavailable } from "./unavailable.ts";

/** The indexer ends a query after 30 s and 8 MB of rows, which are longer as JSON. */
const LIMITS = { headersMs: 32_000, bodyMs: 32_000, totalMs: 33_000, maxBytes: 24_000_000 };
/** Max bytes of a GraphQL request: the indexer's own limit. */
const MAX_REQUEST_BYTES = 16 * 1024;

/** Milliseconds for which the schema is answered without asking the indexer: it changes with a release alone. */
const SCHEMA_MS = 300_000;

/** Texts of a failure of the database behind the index; every other one describes the query. */
const OUTAGE = /terminat|connect|shutting down|recovery mode|too many clients|out of memory|disk full|no space left/i;

/** @param url of the indexer's server, INDEXER_URL */
export function openIndexQueries(
  url: string,
  { meter }: { meter?: UpstreamMeter | undefined } = {},
): IndexQueries & { close(): Promise<void> } {
  const agent = new Agent({ connect: { timeout: 2_000 }, connections: 8 });
  const base = url.replace(/(?<!\/)\/+$/, "");

  async function ask(path: string, body: string | undefined, { address, gone }: IndexReader): Promise<string> {
    const request: OutgoingRequest = {
      method: body === undefined ? "GET" : "POST",
      url: new URL(base + path),
      headers: {
        accept: "application/json",
        "x-forwarded-for": address,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body }),
      signal: gone,
    };
    const startedAt = performance.now();
    let outcome: "answered" | "trouble" = "trouble";
    try {
      const { status, headers, text } = await exchange(agent, request, LIMITS);
      outcome = "answered";
      return status === 200 ? text : refuse(status, text, Number(headers["retry-after"]) || 1);
    } catch (error) {
      if (error instanceof OversizeAnswer) return fail("invalid_input", "The answer is larger than 24 MB.");
      if (outcome === "answered") throw error;
      return unavailable("The indexer", { cause: error, seconds: 5 });
    } finally {
      meter?.asked("index queries", outcome, performance.now() - startedAt);
    }
  }

  let schema: { text: string; readAt: number } | undefined;
  return {
    async graphql(request, reader) {
      const body = JSON.stringify(request);
      if (Buffer.byteLength(body) > MAX_REQUEST_BYTES)
        fail("payload_too_large", `A GraphQL request has at most ${MAX_REQUEST_BYTES / 1024} KiB.`);
      return ask("/graphql", body, reader);
    },
    async schema(reader) {
      if (!schema || performance.now() - schema.readAt > SCHEMA_MS)
        schema = { text: await ask("/graphql/schema", undefined, reader), readAt: performance.now() };
      return schema.text;
    },
    sql: (query, reader) => ask(`/sql/db?${new URLSearchParams({ sql: query })}`, undefined, reader),
    close: () => agent.destroy(),
  };
}

/** Turns a refusal of the indexer, a sentence with a status, into the failure of the same meaning. */
function refuse(status: number, text: string, retryAfter: number): never {
  const sentence = text.trim().split("\n")[0]!.slice(0, 300) || "The query failed.";
  if (status === 429) return fail("rate_limited", sentence, { retryAfter });
  if (status === 503) return fail("overloaded", sentence, { retryAfter });
  if (status === 413) return fail("payload_too_large", sentence);
  if (/took too long/.test(sentence)) return fail("timeout", sentence);
  const isOfQuery = status === 400 || (status === 500 && !OUTAGE.test(sentence));
  if (isOfQuery) return fail("invalid_input", sentence);
  return unavailable("The indexer", { cause: new Error(`status ${status}: ${sentence}`) });
}
