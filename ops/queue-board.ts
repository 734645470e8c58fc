/**
 * The board of the queues (Bull Board) for operators: behind an API key of its own scope, read-only without the right to
 * write, and without a request to any other host. It shows what the queue's store holds, Redis or Postgres.
 */
import { timingSafeEqual } from "node:crypto";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { HonoAdapter } from "@bull-board/hono";
import { getRequestListener } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Queue } from "bullmq";
import { type Context, Hono } from "hono";
import { apiKeyHash, apiKeyId } from "../core/callers/api-keys.ts";
import { urlOf } from "../core/urls.ts";
import { apiKey, recordUse } from "../db/callers/api-keys.ts";
import type { Queryable } from "../db/sql/transaction.ts";
import type { MountedHandler } from "./server.ts";

/** Which operators may see the queues: holders of an API key whose scope says so. */
export const boardAccess =
  (db: Queryable): BoardAccess =>
  async (key) => {
    const id = apiKeyId(key);
    const known = id === null ? null : await apiKey(db, id);
    if (!known || !timingSafeEqual(apiKeyHash(key), known.hash) || known.revokedAt) return null;
    const write = known.scopes.includes("queues:write");
    if (!write && !known.scopes.includes("queues:read")) return null;
    await recordUse(db, { id: known.id, now: new Date() });
    return write ? "write" : "read";
  };

export const BOARD_PATH = "/queues";

/** The access of a key: "read" shows jobs, "write" also retries, promotes and removes them; null: no access. */
export type BoardAccess = (key: string) => Promise<"read" | "write" | null>;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};
/** The page's own link to fonts of another host; the system's do. */
const FOREIGN_LINKS = /<link[^>]+href="https?:[^>]*>\s*/g;

/** @param queues may grow: what is there when the board is made is shown */
export function queueBoard(queues: readonly Queue[], access: BoardAccess): MountedHandler {
  const adapters = (["read", "write"] as const).map((right) => {
    const server = new HonoAdapter(serveStatic).setBasePath(BOARD_PATH);
    createBullBoard({
      queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: right === "read" })),
      // @bull-board/hono brings types of a copy of the API that is one patch older; what runs is the same.
      serverAdapter: server,
      options: { uiConfig: { boardTitle: right === "read" ? "Queues (read-only)" : "Queues" } },
    });
    return [right, new Hono().route(BOARD_PATH, server.registerPlugin())] as const;
  });
  const boards = Object.fromEntries(adapters) as Record<"read" | "write", Hono>;

  const app = new Hono();
  app.all("*", async (c) => {
    const right = await access(keyOf(c));
    if (right === null)
      return answer(c, 401, "An API key for the queues is needed: as X-API-Key, or as the password of any name.\n", {
        "www-authenticate": 'Basic realm="queues", charset="UTF-8"',
      });
    const reads = c.req.method === "GET" || c.req.method === "HEAD";
    if (!reads && right === "read") return answer(c, 403, "This key may only look.\n");
    // A browser sends the password by itself: a page elsewhere must not make it act.
    if (!reads && isForeign(c)) return answer(c, 403, "This comes from another page.\n");
    const shown = await boards[right].fetch(c.req.raw, c.env);
    const headers = new Headers(shown.headers);
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
    if (!headers.get("content-type")?.startsWith("text/html"))
      return new Response(shown.body, { status: shown.status, headers });
    headers.delete("content-length");
    return new Response((await shown.text()).replaceAll(FOREIGN_LINKS, ""), { status: shown.status, headers });
  });
  app.onError((_, c) => answer(c, 500, "The board cannot be shown; is the queue's store there?\n"));
  return getRequestListener(app.fetch) as MountedHandler;
}

function keyOf(c: Context): string {
  const given = c.req.header("x-api-key");
  if (given !== undefined) return given.trim();
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  return basic === undefined ? "" : Buffer.from(basic, "base64").toString("utf8").split(":").slice(1).join(":");
}

function isForeign(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = c.req.header("origin");
  return origin !== undefined && urlOf(origin)?.host !== c.req.header("host");
}

const answer = (c: Context, status: 401 | 403 | 500, text: string, more: Record<string, string> = {}) =>
  c.body(text, status, { ...HEADERS, "content-type": "text/plain; charset=utf-8", ...more });
