/** Agentverse, simulated: a search with filters and orders that returns its first 10,000 matches, worded as the upstream does it. */
import { z } from "zod";
import { reply } from "../simulator.ts";
import { type List, nameOf, type Row, registry } from "./registry.ts";

/** Matches that a search returns, and the total that it states, at most. */
const CAP = 10_000;

/** Uneven parts, as in a real directory: over half of the agents are hosted, one in 20 is by fetch.ai or states a place on earth. */
const TYPES = ["hosted", "hosted", "hosted", "hosted", "hosted", "mailbox", "mailbox", "local", "uagent"];
const made = (i: number) => ({
  type: i % 97 === 0 ? "proxy" : TYPES[i % TYPES.length]!,
  category: i % 20 === 7 ? "fetch-ai" : "community",
  located: i % 20 === 13,
});

/** Times in the order of the rows: three a minute. */
const time = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 20_000).toISOString();

const request = z.strictObject({
  search_text: z.string().optional(),
  filters: z
    .strictObject({
      state: z.array(z.enum(["active", "inactive", "responsive", "unresponsive"])).default([]),
      category: z.array(z.enum(["fetch-ai", "community"])).default([]),
      agent_type: z.array(z.enum(["uagent", "a2a", "hosted", "local", "mailbox", "proxy", "custom"])).default([]),
      protocol_digest: z.array(z.string()).default([]),
      tags: z.array(z.string()).default([]),
      has_location: z.boolean().default(false),
    })
    .prefault({}),
  sort: z.enum(["relevancy", "created-at", "last-modified", "interactions"]).default("relevancy"),
  direction: z.enum(["asc", "desc"]).default("asc"),
  offset: z
    .int()
    .min(0)
    .max(CAP - 1)
    .default(0),
  limit: z.int().min(1).max(50).default(30),
  exact_match: z.boolean().optional(),
  semantic_search: z.boolean().optional(),
  exclude_geo_agents: z.boolean().default(true),
});
type Request = z.output<typeof request>;
type Filters = Pick<Request, "filters" | "exclude_geo_agents">;

/** A list of a row; its tests put values of any kind into every field. */
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Whether a row matches; a row that was given without a field has the most frequent value of it. */
function matches(row: Row, { filters, exclude_geo_agents }: Filters): boolean {
  const located = row.geo_location != null;
  const among = (wanted: readonly string[], values: readonly string[]) =>
    wanted.length === 0 || wanted.some((value) => values.includes(value));
  return (
    !(exclude_geo_agents && located) &&
    !(filters.has_location && !located) &&
    among(filters.state, [String(row.status ?? "active")]) &&
    among(filters.category, [String(row.category ?? "community")]) &&
    among(filters.agent_type, [String(row.type ?? "hosted")]) &&
    among(filters.tags, listOf(row.system_wide_tags).map(String)) &&
    among(
      filters.protocol_digest,
      listOf(row.protocols).map((protocol) => (protocol as { digest?: string } | null)?.digest ?? ""),
    )
  );
}

/** The value by which a sort orders a row; rows of one value stay in their order. Creation is the order of the rows. */
const SORTED_BY: Record<Request["sort"], (row: Row, place: number) => string | number> = {
  relevancy: (_, place) => place,
  "created-at": (_, place) => place,
  "last-modified": (row) => String(row.last_updated ?? ""),
  interactions: (row) => Number(row.total_interactions ?? 0),
};

/** Finds the places of a search. Each one is made once and kept until the rows are replaced. */
function searches(list: List) {
  const kept = new WeakMap<object, Map<string, number[]>>();
  return ({ filters, exclude_geo_agents, sort }: Filters & Pick<Request, "sort">): number[] => {
    const version = list.version();
    if (!kept.has(version)) kept.set(version, new Map());
    const record = kept.get(version)!;
    const key = JSON.stringify([filters, exclude_geo_agents, sort]);
    let places = record.get(key);
    if (places === undefined) {
      const by = SORTED_BY[sort];
      const all: { place: number; value: string | number }[] = [];
      for (let place = 0; place < list.count(); place++) {
        const row = list.row(place);
        if (matches(row, { filters, exclude_geo_agents })) all.push({ place, value: by(row, place) });
      }
      if (sort === "last-modified" || sort === "interactions")
        all.sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : a.place - b.place));
      places = all.map(({ place }) => place);
      record.set(key, places);
    }
    return places;
  };
}

export const agentverse = registry({
  source: "agentverse",
  seeded: 60,
  make(i) {
    const { type, category, located } = made(i);
    return {
      address: `agent1q${i.toString(2).replaceAll("0", "q").replaceAll("1", "p").padStart(58, "z")}`,
      name: nameOf(i, 1),
      readme: "",
      protocols: [{ name: "chat", version: "1", digest: `d${i % 7}` }],
      total_interactions: i % 1000,
      recent_interactions: i % 3,
      status: "active",
      type,
      category,
      system_wide_tags: [],
      geo_location: located ? { name: "Cambridge", latitude: 52.2, longitude: 0.1 } : null,
      last_updated: time((i * 7_919) % 1_000_003),
      created_at: time(i),
    };
  },
  routes(api, list) {
    const search = searches(list);
    api.post("/v1/search/agents", async (c) => {
      const parsed = request.safeParse(await c.req.json());
      if (!parsed.success) {
        const detail = parsed.error.issues.map(({ path, message }) => ({ loc: ["body", ...path], msg: message }));
        return reply({ detail }, 422);
      }
      const { offset, limit, direction, ...rest } = parsed.data;
      const result = search(rest);
      const total = Math.min(CAP, result.length);
      const size = Math.min(limit, Math.max(0, total - offset));
      const from = direction === "desc" ? result.length - offset - size : offset;
      const places = result.slice(from, from + size);
      const agents = await list.rowsAt(direction === "desc" ? places.toReversed() : places);
      return reply({ offset, limit, num_hits: agents.length, total, search_id: "1", agents });
    });
  },
});
