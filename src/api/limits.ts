/** Limits of the indexer's own server: how many queries run at once, and how long a request may be. */
import type { MiddlewareHandler } from "hono";

/** Lets so many requests through at once; the others are told to come back. */
export function atMost(limit: number): MiddlewareHandler {
  let running = 0;
  return async (c, next) => {
    if (running >= limit)
      return c.text("Too many queries are running; try again in a second.", 503, { "Retry-After": "1" });
    running++;
    try {
      await next();
    } finally {
      running--;
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
