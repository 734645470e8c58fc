/** What the simulated registries have in common: rows that are given or made up, their control, places that are slow or fail, and pages with validators. */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { REGISTRIES, type RegistryRow } from "../../../core/directory/registries.ts";
import { type Hang, reply, type SimulatedRegistry, type SimulatedWorld, type Simulator } from "../simulator.ts";

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

/** Rows from `from` on whose pages are late, never come or fail, as a row does that a server cannot read or finds slowly. */
const trouble = z.object({
  from: z.int().min(0),
  count: z.int().min(1).default(1),
  /** Milliseconds of the delay; `slow`: beyond the registry's limit of time. */
  delayMs: z.union([z.int().min(0).max(600_000), z.literal("slow")]).optional(),
  hangs: z.literal(true).optional(),
  status: z.int().min(400).max(599).optional(),
});
type Trouble = z.output<typeof trouble>;

export type Row = Record<string, unknown>;
export type List = {
  count(): number;
  /** Rows from `offset` on, at most `limit`. @throws RowFails for a row whose pages fail */
  page(offset: number, limit: number): Promise<Row[]>;
  /** The rows of some places, in their order. @throws RowFails for a row whose pages fail */
  rowsAt(places: readonly number[]): Promise<Row[]>;
  /** What is held now: the same object until the rows are replaced. */
  version(): object;
  /** A row without its troubles. */
  row(place: number): Row;
};

/** A page with a row that the registry fails on. */
class RowFails extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`a row fails with status ${status}`);
    this.status = status;
  }
}

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
  make: ({ world, rows, hang }) => simulate(shape, world, rows, hang),
});

function simulate(
  { source, make, routes, mirrors, failure = strapi }: Shape,
  world: SimulatedWorld,
  made: number,
  hang: Hang,
): Simulator {
  const store = world.collection<Held>(`registry.${source}`);
  const now = () => store.get("agents") ?? EMPTY;
  if (made > 0 && !mirrors) store.set("agents", { ...now(), generated: made });
  let troubles: Trouble[] = [];
  const slowMs = slowMsOf(source);
  /** Waits for the slowest of the rows, then fails when one of them fails. */
  async function meet(places: readonly number[]): Promise<void> {
    if (troubles.length === 0) return;
    const met = troubles.filter(({ from, count }) => places.some((at) => at >= from && at < from + count));
    if (met.some(({ hangs }) => hangs)) await hang(source);
    const delay = Math.max(0, ...met.map(({ delayMs = 0 }) => (delayMs === "slow" ? slowMs : delayMs)));
    if (delay > 0) await new Promise<void>((done) => setTimeout(done, delay).unref());
    const status = met.find((each) => each.status !== undefined)?.status;
    if (status !== undefined) throw new RowFails(status);
  }
  const list: List = {
    count: () => now().rows.length + now().generated,
    version: now,
    row: (place) => now().rows[place] ?? make(place - now().rows.length),
    async rowsAt(places) {
      await meet(places);
      return places.map(list.row);
    },
    page(offset, limit) {
      const length = Math.max(0, Math.min(offset + limit, list.count()) - offset);
      return list.rowsAt(Array.from({ length }, (_, i) => offset + i));
    },
  };
  const api = new Hono();
  api.onError((error) => {
    if (!(error instanceof RowFails)) throw error;
    const { body, headers } = failure!(error.status);
    return reply(body, error.status, headers);
  });
  routes(api, list);
  const control = new Hono();
  control.put("/troubles", async (c) => {
    troubles = z.array(trouble).parse(await c.req.json());
    return reply(troubles);
  });
  control.put("/agents", async (c) => {
    store.set("agents", put.parse(await c.req.json()));
    return reply({ source, rows: list.count() });
  });
  control.get("/agents", () =>
    reply(Array.from({ length: Math.min(1_000, list.count()) }, (_, place) => list.row(place))),
  );
  control.delete("/agents", () => reply({ deleted: store.delete("agents") }));
  return { source, api, control, controlPath: `registries/${source}`, failure };
}

const EMPTY: Held = { rows: [], generated: 0 };

/** A delay beyond the limit of time of a registry. */
const slowMsOf = (source: string): number =>
  ((REGISTRIES.find(({ key }) => key === source) as RegistryRow | undefined)?.maxSeconds ?? 30) * 1_000 + 1_000;

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
/** @param shift of the second word, one for each registry: the first agent with a name comes before others of that name. Neither 3 nor 9, which repeat the word */
export const nameOf = (i: number, shift: number) => `${WORDS[i % 12]} ${WORDS[(i * 7 + 3 + shift) % 12]} ${i}`;
export const addressOf = (i: number, salt: number) =>
  `0x${(i * 2_654_435_761 + salt).toString(16).padStart(12, "0").repeat(4).slice(0, 40)}`;
export const time = (i: number) => new Date(Date.UTC(2026, 0, 1) + (i % 300_000) * 60_000).toISOString();
