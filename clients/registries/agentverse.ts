/** The pages of Agentverse: a search, divided until each part shows all of its agents. core/directory/registry-readers/ reads the items. */
import { z } from "zod";
import { total } from "./offsets.ts";
import { EMPTY_PAGE, type OpenPages, pagedRegistry, placeBehind, type ReadPage } from "./paged-registry.ts";

const partSchema = z.object({
  agent_type: z.string().optional(),
  /** Who made the agent. */
  category: z.string().optional(),
  /** Whether it states a place on earth. */
  located: z.boolean().optional(),
  protocol_digest: z.string().optional(),
  tags: z.string().optional(),
});
/** A search by filters; one that is absent restricts nothing. */
type Part = z.output<typeof partSchema>;

const isWhole = (part: Part): boolean => Object.keys(part).length === 0;

/** A filter by a field with known values, of which every agent has one: its parts together are the whole. */
type ExactFilter = { filter: "agent_type" | "category"; field: string; values: readonly string[] };
const EXACT: readonly ExactFilter[] = [
  {
    filter: "agent_type",
    field: "type",
    values: ["uagent", "a2a", "hosted", "local", "mailbox", "proxy", "custom"],
  },
  { filter: "category", field: "category", values: ["fetch-ai", "community"] },
];

/** The parts of a part by its next filter whose parts are the whole; none when every such filter is set. */
function splitOf(part: Part): Part[] {
  for (const { filter, values } of EXACT)
    if (part[filter] === undefined) return values.map((value) => ({ ...part, [filter]: value }));
  return part.located === undefined ? [true, false].map((located) => ({ ...part, located })) : [];
}

/** Max values of one filter, of those that the agents of a page have, that become parts. */
const MAX_VALUES = 10;
/** Max characters of a value: it is part of the cursor. */
const MAX_VALUE = 100;

const listed = z.looseObject({
  protocols: z.array(z.looseObject({ digest: z.string() })).catch([]),
  system_wide_tags: z.array(z.string()).catch([]),
});

/** Parts within a part, by what its agents have. They overlap, and an agent may be in none of them. */
function partsWithin(part: Part, agents: readonly unknown[]): Part[] {
  const read = agents.flatMap((agent) => listed.safeParse(agent).data ?? []);
  const by = (filter: "protocol_digest" | "tags", values: string[]) => {
    if (part[filter] !== undefined) return [];
    const distinct = [...new Set(values)].filter((value) => value !== "" && value.length <= MAX_VALUE);
    return distinct.slice(0, MAX_VALUES).map((value): Part => ({ ...part, [filter]: value }));
  };
  return [
    ...by(
      "protocol_digest",
      read.flatMap(({ protocols }) => protocols.map(({ digest }) => digest)),
    ),
    ...by(
      "tags",
      read.flatMap(({ system_wide_tags }) => system_wide_tags),
    ),
  ];
}

/** The filters of a part, as a search has them. Only active agents are listed in the directory. */
function searchOf({ agent_type, category, located, protocol_digest, tags }: Part) {
  return {
    filters: {
      state: ["active"],
      ...(agent_type !== undefined && { agent_type: [agent_type] }),
      ...(category !== undefined && { category: [category] }),
      ...(located && { has_location: true }),
      ...(protocol_digest !== undefined && { protocol_digest: [protocol_digest] }),
      ...(tags !== undefined && { tags: [tags] }),
    },
    // By default a search leaves out the agents that state a place on earth.
    exclude_geo_agents: located === false,
  };
}

/** Whether an agent has a value that is not among those of an exact filter: no part shows it. */
const hasUnknownValue = (agents: readonly unknown[]): boolean =>
  agents.some((agent) =>
    EXACT.some(({ field, values }) => {
      const value = (agent as Record<string, unknown> | null)?.[field];
      return typeof value === "string" && !values.includes(value);
    }),
  );

/** Matches of one search that it returns; the stated total ends there too. */
const MAX_MATCHES = 10_000;

/**
 * The orders in which a part is read that has more agents than a search returns. The oldest and the newest by creation
 * together show all agents once they meet. Where they do not meet, there are more than 20,000: the other orders show
 * further ones, but which are missing stays unknown. The oldest come first, so that an agent that is created during a
 * sweep is behind the place of the sweep.
 */
const ORDERS = [
  { sort: "created-at", direction: "asc" },
  { sort: "created-at", direction: "desc" },
  { sort: "last-modified", direction: "desc" },
  { sort: "last-modified", direction: "asc" },
  { sort: "interactions", direction: "desc" },
  { sort: "interactions", direction: "asc" },
] as const;
const [OLDEST, NEWEST] = [0, 1];

/** Max parts that wait to be read: the exact splits need 13, the others are `MAX_OVERLAPPING`. */
const MAX_WAITING = 200;
/** Max parts of a sweep that repeat agents of other parts. */
const MAX_OVERLAPPING = 60;

const REFUSED_PART = "Agentverse refuses a search for a part of its directory.";
const UNKNOWN_VALUE = "Agentverse lists agents of a type or category that this service does not know.";

const placeSchema = z.object({
  part: partSchema,
  order: z
    .int()
    .min(0)
    .max(ORDERS.length - 1),
  offset: z.int().min(0),
  size: z.int().min(1),
  /** Time of creation, in ms since the epoch, up to which the oldest agents of the part were read. */
  oldestUpTo: z.number().nullable(),
  /** Parts that are read after this one. */
  waiting: z.array(partSchema).max(MAX_WAITING),
  /** Parts so far that repeat agents of others. */
  overlapping: z.int().min(0),
});
type Place = z.output<typeof placeSchema>;

const answer = z.looseObject({ agents: z.array(z.unknown()), total });
const createdAt = z.looseObject({ created_at: z.iso.datetime({ offset: true }).transform((at) => Date.parse(at)) });
const creationOf = (agent: unknown): number | null => createdAt.safeParse(agent).data?.created_at ?? null;

const begin = (part: Part, size: number, waiting: Part[] = [], overlapping = 0): Place => ({
  part,
  order: OLDEST,
  offset: 0,
  size,
  oldestUpTo: null,
  waiting,
  overlapping,
});
const nextPart = ({ waiting: [part, ...rest], overlapping }: Place, pageSize: number) =>
  part === undefined ? null : begin(part, pageSize, rest, overlapping);

/** The next order of a part at the limit, or the next part. */
const nextOrder = (place: Place, pageSize: number) =>
  place.order + 1 < ORDERS.length
    ? { ...place, order: place.order + 1, offset: 0, size: pageSize }
    : nextPart(place, pageSize);

/** Where to go on when an order of a part at the limit is at its end. @param agents the last ones of the order */
function behindOrder(place: Place, agents: readonly unknown[], pageSize: number): Pick<ReadPage, "next" | "cut"> {
  if (place.order !== NEWEST) return { next: nextOrder(place, pageSize) };
  const within = partsWithin(place.part, agents).slice(0, MAX_OVERLAPPING - place.overlapping);
  const waiting = [...within, ...place.waiting];
  const overlapping = place.overlapping + within.length;
  return {
    next: nextOrder({ ...place, waiting, overlapping }, pageSize),
    cut: `Agentverse returns ${MAX_MATCHES} agents of a search, and a part of its directory has more than twice as many.`,
  };
}

function read(place: Place, json: unknown, pageSize: number): ReadPage {
  const { agents, total = null } = answer.parse(json);
  const end = place.offset + agents.length;
  const capped = (total ?? end) >= MAX_MATCHES;
  // A directory in parts has no total.
  const expected = capped || place.waiting.length > 0 || !isWhole(place.part) ? null : total;
  const page = { items: agents, expected };
  const parts = place.order === OLDEST && place.offset === 0 && capped ? splitOf(place.part) : [];
  if (parts.length > 0) {
    const next = nextPart({ ...place, waiting: [...parts, ...place.waiting] }, pageSize);
    return { ...page, next, ...(hasUnknownValue(agents) && { cut: UNKNOWN_VALUE }) };
  }
  const { oldestUpTo: met } = place;
  if (place.order === NEWEST && met !== null && agents.some((agent) => (creationOf(agent) ?? met) < met))
    return { ...page, next: nextPart(place, pageSize) };
  const oldestUpTo = place.order === OLDEST ? creationOf(agents.at(-1)) : met;
  if (agents.length > 0 && end < Math.min(MAX_MATCHES, total ?? MAX_MATCHES))
    return { ...page, next: { ...place, oldestUpTo, ...placeBehind(place, pageSize, agents.length) } };
  const short = agents.length === 0 && place.offset < Math.min(MAX_MATCHES, total ?? 0);
  const behind = capped ? behindOrder({ ...place, oldestUpTo }, agents, pageSize) : { next: nextPart(place, pageSize) };
  return { ...page, ...behind, ...(short && { cut: EMPTY_PAGE }) };
}

/**
 * Agentverse: a search that returns its first 10,000 matches only, without filters by time. A sweep starts with the whole
 * directory. A part at the limit is split by the next filter with known values, so that each agent
 * is in one part; where no such filter is left, it is read from both ends.
 */
export const agentversePages: OpenPages = (upstream, { pageSize }) =>
  pagedRegistry(upstream, {
    pageSize,
    incremental: false,
    overlapping: true,
    placeOf: (cursor) => placeSchema.safeParse(cursor).data ?? begin({}, pageSize),
    behind(place) {
      const next = placeBehind(place, pageSize);
      return next.offset < MAX_MATCHES ? { ...place, ...next } : nextOrder(place, pageSize);
    },
    nameOf: ({ part, order, offset }) =>
      [...Object.values(part), ORDERS[order]!.sort, ORDERS[order]!.direction, offset].join(" "),
    request: (place) => ({
      path: "/v1/search/agents",
      body: {
        search_text: "",
        ...searchOf(place.part),
        ...ORDERS[place.order]!,
        offset: place.offset,
        limit: place.size,
        exact_match: false,
        semantic_search: false,
      },
      // A refused part is missing in the sweep, and the others are read.
      ...((place.offset > 0 || !isWhole(place.part)) && {
        refused: { items: [], next: nextPart(place, pageSize), expected: null, cut: REFUSED_PART },
      }),
      read: (json) => read(place, json, pageSize),
    }),
  });
