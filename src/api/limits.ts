/** Limits of the indexer's own server: concurrent queries, queries a minute, time of a query, size of a request. */
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";

/** Functions that `indexer/preload/reader-queries.ts` provides to this server. */
export type IndexReaders = {
  /** The network of a request's client; behind a trusted proxy, the network that the proxy names. */
  networkOf(incoming: IncomingMessage): string;
  /** Runs the work of one request; its statements are cancelled when `ended` is aborted, and none is repeated. */
  run<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T>;
};

declare global {
  var indexReaders: IndexReaders;
}

export type QueryLimits = {
  /** Max concurrent queries of all clients. */
  concurrent: number;
  /** Max concurrent queries of one client. */
  concurrentPerClient: number;
  /** Max queries of one client in a minute. */
  perMinute: number;
  /** Max milliseconds for all statements of a query together. */
  timeoutMs: number;
  /** Key of the client that a request counts for. */
  clientOf(c: Context): string;
  run: IndexReaders["run"];
};

const MINUTE_MS = 60_000;

/**
 * Enforces the limits: a query over them is answered 429 or 503 with Retry-After.
 * Check then write: places are left, then one is taken; no await.
 * Bound: GraphQL and SQL of the index, 2 at once and 240 a minute for a network, 4 at once in all; a query has 30 s, 8
 * MB, and 32 MB for a step (indexer/preload/reader-queries.ts).
 */
export function limitQueries({
  concurrent,
  concurrentPerClient,
  perMinute,
  timeoutMs,
  clientOf,
  run,
}: QueryLimits): MiddlewareHandler {
  const running = new Map<string, number>();
  let runningInAll = 0;
  /** Queries of this minute by client; replaced when the minute ends. */
  let counts = new Map<string, number>();
  let minuteEnds = 0;

  return async (c, next) => {
    const client = clientOf(c);
    const now = Date.now();
    if (now >= minuteEnds) {
      counts = new Map();
      minuteEnds = now + MINUTE_MS;
    }
    const refuse = (status: 429 | 503, sentence: string, seconds: number) =>
      c.text(sentence, status, { "Retry-After": String(seconds) });
    const own = running.get(client) ?? 0;
    if (own >= concurrentPerClient)
      return refuse(429, `You have ${own} queries running; try again when one has ended.`, 1);
    if (runningInAll >= concurrent) return refuse(503, "Too many queries are running; try again in a second.", 1);
    const count = (counts.get(client) ?? 0) + 1;
    if (count > perMinute)
      return refuse(429, `At most ${perMinute} queries a minute.`, Math.ceil((minuteEnds - now) / 1000));
    counts.set(client, count);
    running.set(client, own + 1);
    runningInAll++;
    try {
      await run(AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(timeoutMs)]), next);
    } finally {
      runningInAll--;
      const left = running.get(client)! - 1;
      if (left > 0) running.set(client, left);
      else running.delete(client);
    }
  };
}

/** Refuses a body longer than `bytes`, or without a Content-Length. */
export const limitBody =
  (bytes: number): MiddlewareHandler =>
  async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return next();
    const length = Number(c.req.header("content-length") ?? Number.NaN);
    if (!(length <= bytes)) return c.text(`A query has at most ${bytes} bytes, and says how many.`, 413);
    return next();
  };
