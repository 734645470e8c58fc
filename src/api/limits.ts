/** Limits of the indexer's own server: how many queries run at once and a minute, for how long, and how long a request may be. */
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";

/** What `indexer/preload/reader-queries.ts` gives to this server. */
export type IndexReaders = {
  /** The network that a request comes from; of a trusted proxy's, the network that it names. */
  nameOf(incoming: IncomingMessage): string;
  /** Runs the work of one request; its statements are cancelled when `ended` is aborted, and none is tried again. */
  run<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T>;
};

declare global {
  var indexReaders: IndexReaders;
}

export type QueryRules = {
  /** Queries that run at once, and of them those of one asker. */
  atOnce: number;
  perAsker: number;
  /** Queries of one asker in a minute. */
  perMinute: number;
  /** Milliseconds for all statements of a query together. */
  ms: number;
  asker(c: Context): string;
  run: IndexReaders["run"];
};

const MINUTE_MS = 60_000;

/** Lets so many queries through at once and of each asker; the others are told to come back. */
export function queries({ atOnce, perAsker, perMinute, ms, asker, run }: QueryRules): MiddlewareHandler {
  const running = new Map<string, number>();
  let inAll = 0;
  /** Of this minute; let go at its end. */
  let asked = new Map<string, number>();
  let minuteEnds = 0;

  return async (c, next) => {
    const name = asker(c);
    const now = Date.now();
    if (now >= minuteEnds) {
      asked = new Map();
      minuteEnds = now + MINUTE_MS;
    }
    const refuse = (status: 429 | 503, sentence: string, seconds: number) =>
      c.text(sentence, status, { "Retry-After": String(seconds) });
    const own = running.get(name) ?? 0;
    if (own >= perAsker) return refuse(429, `You have ${own} queries running; try again when one has ended.`, 1);
    if (inAll >= atOnce) return refuse(503, "Too many queries are running; try again in a second.", 1);
    const count = (asked.get(name) ?? 0) + 1;
    if (count > perMinute)
      return refuse(429, `At most ${perMinute} queries a minute.`, Math.ceil((minuteEnds - now) / 1000));
    asked.set(name, count);
    running.set(name, own + 1);
    inAll++;
    try {
      await run(AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(ms)]), next);
    } finally {
      inAll--;
      const left = running.get(name)! - 1;
      if (left > 0) running.set(name, left);
      else running.delete(name);
    }
  };
}

/** Refuses bodies longer than `bytes`, and those that do not say how long they are. */
export const bodyUpTo =
  (bytes: number): MiddlewareHandler =>
  async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return next();
    const length = Number(c.req.header("content-length") ?? Number.NaN);
    if (!(length <= bytes)) return c.text(`A query has at most ${bytes} bytes, and says how many.`, 413);
    return next();
  };
