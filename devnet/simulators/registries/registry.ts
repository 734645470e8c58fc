/** What the simulated registries have in common: rows that are given or made up, their control, and pages with validators. */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { reply, type SimulatedRegistry, type Simulator } from "../simulator.ts";
import type { SimulatedWorld } from "../world-file.ts";

/** Rows that one registry makes up at most. */
export const MAX_ROWS = 1_000_000;

const row = z.record(z.string(), z.unknown());
/** Rows in the upstream's own shape, and the number of made-up rows behind them. */
const held = z.object({ rows: z.array(row), generated: z.int().min(0).max(MAX_ROWS) });
type Held = z.output<typeof held>;
const put = z.union([
  z.array(row).transform((rows): Held => ({ rows, generated: 0 })),
  z
    .object({ rows: z.array(row).default([]), generate: z.int().min(0).max(MAX_ROWS) })
    .transform(({ rows, generate }): Held => ({ rows, generated: generate })),
]);

export type List = {
  count(): number;
  /** Rows from `offset` on, at most `limit`. */
  page(offset: number, limit: number): Record<string, unknown>[];
};

export type Shape = {
  source: string;
  /** Agents that the seeded world lets it list; 0 by default. */
  seeded?: number;
  /** The made up row of a place. */
  make(index: number): Record<string, unknown>;
  routes(api: Hono, list: List): void;
  /** It lists agents of the chain, so no rows are made up at the start. */
  mirrors?: true;
  /** How the upstream words a failure; like Strapi by default. */
  failure?: Simulator["failure"];
};

const strapi: Simulator["failure"] = (status) => ({ body: { error: { status, message: "Something went wrong" } } });

/** A registry by its shape. */
export const registry = ({ seeded = 0, ...shape }: Shape): SimulatedRegistry => ({
  seeded,
  make: ({ world, rows }) => simulate(shape, world, rows),
});

function simulate(
  { source, make, routes, mirrors, failure = strapi }: Shape,
  world: SimulatedWorld,
  made: number,
): Simulator {
  const store = world.collection<Held>(`registry.${source}`);
  const now = () => store.get("agents") ?? { rows: [], generated: 0 };
  if (made > 0 && !mirrors) store.set("agents", { ...now(), generated: made });
  const list: List = {
    count: () => now().rows.length + now().generated,
    page(offset, limit) {
      const { rows, generated } = now();
      const last = Math.min(offset + limit, rows.length + generated);
      return Array.from(
        { length: Math.max(0, last - offset) },
        (_, i) => rows[offset + i] ?? make(offset + i - rows.length),
      );
    },
  };
  const api = new Hono();
  routes(api, list);
  const control = new Hono();
  control.put("/agents", async (c) => {
    store.set("agents", put.parse(await c.req.json()));
    return reply({ source, rows: list.count() });
  });
  control.get("/agents", () => reply(list.page(0, 1_000)));
  control.delete("/agents", () => reply({ deleted: store.delete("agents") }));
  return { source, api, control, controlPath: `registries/${source}`, failure };
}

/** A page with its ETag; 304 without a body for who has it already. */
export function page(c: Context, body: unknown): Response {
  const etag = `"${createHash("sha1").update(JSON.stringify(body)).digest("base64url")}"`;
  return c.req.header("if-none-match") === etag ? reply(undefined, 304, { etag }) : reply(body, 200, { etag });
}

export const numbered = (text: string | undefined, fallback: number) =>
  text && /^\d+$/.test(text) ? Number(text) : fallback;

export const WORDS = [
  "Quantum",
  "Trade",
  "Oracle",
  "Nova",
  "Signal",
  "Atlas",
  "Echo",
  "Forge",
  "Lumen",
  "Vector",
  "Bot",
  "Agent",
];
export const nameOf = (i: number) => `${WORDS[i % 12]} ${WORDS[(i * 7 + 3) % 12]} ${i}`;
export const addressOf = (i: number, salt: number) =>
  `0x${(i * 2_654_435_761 + salt).toString(16).padStart(12, "0").repeat(4).slice(0, 40)}`;
export const time = (i: number) => new Date(Date.UTC(2026, 0, 1) + (i % 300_000) * 60_000).toISOString();
