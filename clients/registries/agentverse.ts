/** The pages of Agentverse: a search, divided until each part shows all of its agents. core/directory/registry-readers/ reads the items. */
import { z } from "zod";
import { hasUnknownValue, type Part, partSchema, partsWithin, searchOf, splitOf } from "./agentverse-parts.ts";
import { total } from "./offsets.ts";
import { EMPTY_PAGE, pagedRegistry, placeBehind, type ReadPage } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

/** Matches of one search that it returns; the stated total ends there too. */
const CAP = 10_000;

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

/**
 * Agentverse: a search that returns its first 10,000 matches only, without filters by time. A sweep starts with the whole
 * directory. A part at the limit is split by the next filter with known values (agentverse-parts.ts), so that each agent
 * is in one part; where no such filter is left, it is read from both ends.
 */
export const agentversePages: OpenPages = (upstream, { pageSize }) => {
  const begin = (part: Part, waiting: Part[], overlapping: number): Place => ({
    part,
    order: OLDEST,
    offset: 0,
    size: pageSize,
    oldestUpTo: null,
    waiting,
    overlapping,
  });
  const nextPart = ({ waiting: [part, ...rest], overlapping }: Place) =>
    part === undefined ? null : begin(part, rest, overlapping);
  const inOrder = (place: Place, order: number): Place => ({ ...place, order, offset: 0, size: pageSize });
  /** The next order of a part at the limit, or the next part. */
  const nextOrder = (place: Place) =>
    place.order + 1 < ORDERS.length ? inOrder(place, place.order + 1) : nextPart(place);

  /** Where to go on when an order of a part at the limit is at its end. */
  function behindOrder(place: Place, agents: readonly unknown[]): Pick<ReadPage, "next" | "cut"> {
    if (place.order !== NEWEST) return { next: nextOrder(place) };
    const within = partsWithin(place.part, agents).slice(0, MAX_OVERLAPPING - place.overlapping);
    const waiting = [...within, ...place.waiting];
    return {
      next: nextOrder({ ...place, waiting, overlapping: place.overlapping + within.length }),
      cut: `Agentverse returns ${CAP} agents of a search, and a part of its directory has more than twice as many.`,
    };
  }

  function read(place: Place, json: unknown): ReadPage {
    const { agents, total = null } = answer.parse(json);
    const end = place.offset + agents.length;
    const capped = (total ?? end) >= CAP;
    const page = {
      items: agents,
      // The whole directory in one search; a directory in parts has no total.
      expected: capped || place.waiting.length > 0 || Object.keys(place.part).length > 0 ? null : total,
    };
    const parts = place.order === OLDEST && place.offset === 0 && capped ? splitOf(place.part) : [];
    if (parts.length > 0) {
      const next = nextPart({ ...place, waiting: [...parts, ...place.waiting] });
      return { ...page, next, ...(hasUnknownValue(agents) && { cut: UNKNOWN_VALUE }) };
    }
    const { oldestUpTo: met } = place;
    if (place.order === NEWEST && met !== null && agents.some((agent) => (creationOf(agent) ?? met) < met))
      return { ...page, next: nextPart(place) };
    const oldestUpTo = place.order === OLDEST ? creationOf(agents.at(-1)) : place.oldestUpTo;
    if (agents.length > 0 && end < Math.min(CAP, total ?? CAP)) {
      return { ...page, next: { ...place, oldestUpTo, ...placeBehind(place, pageSize, agents.length) } };
    }
    const short = agents.length === 0 && place.offset < Math.min(CAP, total ?? 0);
    const behind = capped ? behindOrder({ ...place, oldestUpTo }, agents) : { next: nextPart(place) };
    return { ...page, ...behind, ...(short && { cut: EMPTY_PAGE }) };
  }

  return pagedRegistry(upstream, {
    pageSize,
    incremental: false,
    overlapping: true,
    placeOf: (cursor) => placeSchema.safeParse(cursor).data ?? begin({}, [], 0),
    behind: (place) => {
      const next = placeBehind(place, pageSize);
      return next.offset < CAP ? { ...place, ...next } : nextOrder(place);
    },
    nameOf: ({ part, order, offset }) =>
      [...Object.values(part), ORDERS[order]!.sort, ORDERS[order]!.direction, offset].join(" "),
    request(place) {
      const isFirst = place.offset === 0 && place.order === OLDEST && Object.keys(place.part).length === 0;
      return {
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
        ...(!isFirst && {
          refused: {
            items: [],
            next: nextPart(place),
            expected: null,
            cut: "Agentverse refuses a search for a part of its directory.",
          },
        }),
        read: (json) => read(place, json),
      };
    },
  });
};
