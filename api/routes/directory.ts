/** The directory: agents of many registries in one table, one agent in full, and claims about an agent's token. */
import pLimit from "p-limit";
import { z } from "zod";
import { sharedWith } from "../../core/agents/caveats.ts";
import { FACET_RANGES, VERIFIED_KINDS } from "../../core/directory/facets.ts";
import {
  DIRECTORY_FILTERS,
  DIRECTORY_SORTS,
  type DirectoryFilter,
  type DirectoryNarrowing,
  orderOf,
  TREND_WINDOW_KEYS,
  TRENDING_FORMULA,
  UNRANKED_SORT,
} from "../../core/directory/filters.ts";
import { OWN_PLATFORM, PLATFORMS, type PlatformKey, readGlobalId, readRowRef } from "../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { registrationView } from "../../core/directory/registration-view.ts";
import { type TerminalRow, terminalAgentSchema, terminalRow } from "../../core/directory/row.ts";
import { rowBadgesView } from "../../core/directory/row-badges.ts";
import { fail } from "../../core/errors.ts";
import { caveatsOf } from "../../core/views/agent.ts";
import { ERC8004 } from "../../db/directory/erc8004.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";
import { erc8004Registration } from "../../db/directory/registration.ts";
import { directoryDetail, directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import { sharedOf } from "../../db/directory/score-sql.ts";
import { directoryBadges } from "../../db/lists/row-badges.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import { slicedBody } from "../http/sliced-body.ts";
import { PackedRows } from "../packed-rows.ts";
import {
  choice,
  choices,
  flag,
  inactive,
  integer,
  limit,
  listOf,
  minBlock,
  offset,
  optionalChoice,
  owner,
  page,
  searchText,
  textAs,
} from "../parameters.ts";
import { startOf } from "../reply.ts";
import {
  terminalBadgesSchema,
  terminalCountsSchema,
  terminalDetailSchema,
  terminalExportSchema,
  terminalListSchema,
} from "../schemas/directory.ts";
import { csvHead, csvLine } from "../services/csv.ts";
import { waitForDirectory } from "../services/until-shown.ts";
import { ofPlatform, ref, unknownAgent } from "./directory-agent.ts";

const endpoint = endpointsOf({ tag: "Terminal", named: { ref }, data: true });

const PLATFORM_KEYS = PLATFORMS.map(({ key }) => key) as [PlatformKey, ...PlatformKey[]];

const score = (what: string) => integer({ min: 0, max: 100, what }).optional();
const days = (what: string) => integer({ min: 1, max: 3_650, what }).optional();

const facets = {
  platform: choices(PLATFORM_KEYS, "Only agents of any of these registries"),
  chain: listOf(integer({ min: 1, max: 2 ** 31 - 1, what: "Chain id" }), {
    most: 20,
    what: "Only agents on any of these chains, by chain id",
    example: "8453",
  }),
  speaks: choices(PROTOCOLS, "Only agents that speak all of these protocols"),
  verified: choices(VERIFIED_KINDS, "Only agents of which all of these are verified"),
  minScore: score("Only agents with at least this cred score"),
  maxScore: score("Only agents with at most this cred score"),
  hasToken: flag("Only agents with a token that counts, or only those without"),
  minAgeDays: days("Only agents registered at least this many days ago"),
  maxAgeDays: days("Only agents registered at most this many days ago"),
  owner,
};

const search = searchText(
  "Part of a name, the beginning of the address of the agent's wallet or of its owner, an agent's id or a token's symbol; a whole address finds the agents of that wallet, its own first",
);
const trendWindow = choice(TREND_WINDOW_KEYS, {
  default: "24h",
  what: "Window of `trending`; of 7 and 30 days the dollars of whole UTC days count, never less than those of the last 24 hours",
});

const narrowing = {
  sort: optionalChoice(
    [...DIRECTORY_SORTS, UNRANKED_SORT],
    "Sort field, rows without it last; by default cred_score, for `new` created_at, for `trending` its formula over the window, for `gainers` and `losers` price_change_24h. revenue_self_reported means the default: nothing is ranked by what an agent says of itself",
  ),
  dir: optionalChoice(["DESC", "ASC"], "Direction; by default DESC, for `losers` without a sort ASC"),
  filter: choice(DIRECTORY_FILTERS, {
    default: "all",
    what: "x402, new (registered within 7 days), trending (used or traded within the window), gainers or losers (a market saw the price of their token rise or fall within 24 hours), or a tier",
  }),
  window: trendWindow,
  ...facets,
  q: search,
  inactive,
  minBlock,
};

type ListQuestion = DirectoryNarrowing &
  Pick<DirectoryQuery, "q"> & {
    inactive?: boolean | undefined;
    sort?: (typeof DIRECTORY_SORTS)[number] | typeof UNRANKED_SORT | undefined;
    dir?: "ASC" | "DESC" | undefined;
  };

/**
 * A search for the name of one agent (`erc8004-7`) is for its row alone, also where it is not active.
 * @throws Failure invalid_input for a range whose lower bound is above its upper one
 */
async function questionOf(db: Queryable, { sort, dir, inactive, ...asked }: ListQuestion, now: number) {
  for (const [lower, upper] of FACET_RANGES)
    if ((asked[lower] ?? 0) > (asked[upper] ?? Number.POSITIVE_INFINITY))
      fail("invalid_input", `${lower} must not be above ${upper}.`, {
        details: [{ path: lower, message: `must be at most ${upper}, which is ${asked[upper]}` }],
      });
  const { q = "", ...narrowing } = asked;
  const row = readGlobalId(q) || readRowRef(q) ? await findDirectoryId(db, q) : null;
  if (row !== null) return { ...narrowing, row, ...orderOf(narrowing, { sort, dir }), now };
  // A list shows who is not active, a search finds those that one can turn to.
  if (asked.q !== undefined && !inactive) asked.active = true;
  return { ...asked, ...orderOf(asked, { sort, dir }), now };
}

export const terminalAgents = endpoint({
  path: "/api/terminal/agents",
  operationId: "listTerminalAgents",
  summary: "Agents of all registries, filtered, sorted and paged",
  description: `Totals are exact. Facets (platform, chain, speaks, verified, scores, hasToken, ages) are combined with each other and with the filter. trending is ordered by ${TRENDING_FORMULA}; gainers and losers are sorted by price_change_24h. Claimed market data count nowhere.`,
  query: z.object({ ...narrowing, limit: limit({ default: 50, max: 100 }), page, offset }),
  responses: { 200: { description: "A page of the directory", schema: terminalListSchema } },
  async handler({ deps, query, now }) {
    const { db, directory, config } = deps;
    const { limit } = query;
    await waitForDirectory(deps, query.minBlock);
    const start = startOf(query);
    const question = await questionOf(db, query, now);
    const [{ total, ids }, totals] = await Promise.all([
      directory.list({ ...question, offset: start, limit }),
      directory.totals(),
    ]);
    const agents = await directory.shown(ids, (missing) => shownRows(db, missing, config.service.publicUrl));
    return PACKED.answer<z.output<typeof terminalListSchema>, "agents">("agents", agents, {
      total,
      page: Math.floor(start / limit) + 1,
      totalPages: Math.ceil(total / limit),
      limit,
      stats: {
        total: totals.total,
        scored: totals.scored,
        avgScore: totals.scored === 0 ? 0 : Math.round((totals.sum / totals.scored) * 10) / 10,
        x402: totals.x402,
      },
    });
  },
});

export const terminalCounts = endpoint({
  path: "/api/terminal/counts",
  operationId: "countTerminalAgents",
  summary: "How many agents each filter of the directory has",
  description: "Each as `total` of /api/terminal/agents has it for the same facets, search and window.",
  query: z.object({ window: trendWindow, ...facets, q: search, inactive, minBlock }),
  responses: { 200: { description: "The number of agents by filter", schema: terminalCountsSchema } },
  async handler({ deps, query, now }, json) {
    await waitForDirectory(deps, query.minBlock);
    const counts = {} as Record<DirectoryFilter, number>;
    // One after the other: a request takes no more than one connection.
    for (const filter of DIRECTORY_FILTERS) {
      const question = await questionOf(deps.db, { ...query, filter }, now);
      const page = await deps.directory.list({ ...question, offset: 0, limit: 1 });
      counts[filter] = page.total;
    }
    return json({ counts });
  },
});

const MEMBERS = Object.keys(terminalAgentSchema.shape) as (keyof TerminalRow)[];
const PACKED = new PackedRows<TerminalRow>(MEMBERS);

/** A page's rows, packed. */
async function shownRows(db: Queryable, ids: readonly number[], publicUrl: string): Promise<Map<number, Uint8Array>> {
  const rows = await directoryRows(db, ids);
  return new Map(rows.map((row) => [row.id, PACKED.pack(terminalRow(row, publicUrl))]));
}

const EXPORT_ROWS = 10_000;
/** Rows of one slice of an export: one statement reads them, and rendering takes a few milliseconds. */
const EXPORT_SLICE = 100;

/** The format of a file: text before its rows, between two rows and after them, and the text of a row. */
type FileFormat = { type: string; head: string; between: string; end: string; line(row: TerminalRow): string };
const FORMATS: Record<"json" | "csv", FileFormat> = {
  json: {
    type: "application/json; charset=utf-8",
    head: "[",
    between: ",",
    end: "]",
    line: (row) => JSON.stringify(row),
  },
  csv: {
    type: "text/csv; charset=utf-8",
    head: csvHead(MEMBERS),
    between: "",
    end: "",
    line: (row) => csvLine(MEMBERS, row),
  },
};

/**
 * Reads of exports that run at the same time. Each export waits for one at a time, so they take turns: one whose client
 * is slow delays no other.
 */
const inTurn = pLimit(3);

/** The file in slices. Each slice uses a connection of its own, released before the slice is sent. */
async function* fileOf(
  db: Queryable,
  ids: readonly number[],
  { head, between, end, line }: FileFormat,
  publicUrl: string,
): AsyncGenerator<string, void> {
  let before = head;
  for (let at = 0; at < ids.length; at += EXPORT_SLICE) {
    const rows = await inTurn(() => directoryRows(db, ids.slice(at, at + EXPORT_SLICE)));
    if (rows.length === 0) continue;
    yield before + rows.map((row) => line(terminalRow(row, publicUrl))).join(between);
    before = between;
  }
  yield (before === head ? head : "") + end;
}

/** The agents of a filter as a file. */
const exportAs = (format: "json" | "csv") =>
  endpoint({
    path: `/api/terminal/agents.${format}`,
    operationId: format === "json" ? "exportTerminalJson" : "exportTerminalCsv",
    summary: `The agents of a filter as a file, ${format.toUpperCase()}`,
    description: `At most ${EXPORT_ROWS.toLocaleString("en")} rows, in the order of one moment; X-Total-Count is the number of matches. One export of a client runs at a time, and few in all; a client that takes nothing for 10 seconds, or not all of it in 60, is cut off.`,
    sliced: true,
    query: z.object(narrowing),
    responses: {
      200: {
        description: "The rows, in order",
        ...(format === "json" ? { schema: terminalExportSchema } : { type: "text/csv" }),
      },
    },
    async handler({ deps, query, now, response, reader, count }) {
      const { db, directory, config, log } = deps;
      deps.exports.acquire(response, [reader]);
      await count("exports", reader);
      await waitForDirectory(deps, query.minBlock);
      // All ids are read at one moment: a row that moves while rows are read appears exactly once.
      const rows = { ...(await questionOf(db, query, now)), offset: 0, limit: EXPORT_ROWS };
      const { total, ids } = await inTurn(() => directory.list(rows));
      const { type } = FORMATS[format];
      const headers = {
        "x-total-count": String(total),
        "content-disposition": `attachment; filename="agents-${query.filter}.${format}"`,
      };
      const slices = fileOf(db, ids, FORMATS[format], config.service.publicUrl);
      return { status: 200, type, content: await slicedBody(slices, log), headers };
    },
  });
export const terminalJson = exportAs("json");
export const terminalCsv = exportAs("csv");

export const terminalAgent = endpoint({
  path: "/api/terminal/agent/{ref}",
  operationId: "getTerminalAgent",
  summary: "One agent of the directory, with its services, where it is known from, and who else it is",
  query: z.object({
    minBlock,
    platform: ofPlatform,
  }),
  responses: { 200: { description: "The agent", schema: terminalDetailSchema } },
  async handler({ deps, params, query, at }, json) {
    const { db, config } = deps;
    await waitForDirectory(deps, query.minBlock);
    const id = await findDirectoryId(db, params.ref, query.platform);
    const detail = id === null ? null : await directoryDetail(db, { id });
    if (detail === null) return unknownAgent();
    const { row, services, sameAs, provenance } = detail;
    const registration =
      row.platform === ERC8004 && row.registry
        ? await erc8004Registration(db, { registry: row.registry, agentId: row.agentId })
        : null;
    const own =
      row.platform === OWN_PLATFORM && row.tokenId !== null ? await deps.facts({ tokenId: row.tokenId }) : null;
    return json({
      ...terminalRow(row, config.service.publicUrl),
      services,
      same_as: sameAs,
      provenance,
      erc8004: registration && registrationView(registration),
      reservations: own ? caveatsOf(own, at) : sharedWith(await sharedOf(db, row.id)),
    });
  },
});

/** Max agents of one request for badges: one page of the list. */
const MAX_BADGE_ROWS = 100;

export const terminalBadges = endpoint({
  path: "/api/terminal/badges",
  operationId: "listTerminalBadges",
  summary: "The badges of a page of agents: proofs, protocols, feedback, activity and the score's way",
  query: z.object({
    ids: textAs((text) => {
      const ids = text.split(",");
      const areIds = ids.length <= MAX_BADGE_ROWS && ids.every((id) => /^[1-9]\d{0,14}$/.test(id));
      return areIds ? ids.map(Number) : null;
    }, `must be 1 to ${MAX_BADGE_ROWS} ids of the directory, separated by commas`).meta({
      documented: { type: "string", pattern: "^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,99}$" },
      description: `\`id\` of up to ${MAX_BADGE_ROWS} rows, separated by commas; those that are gone are left out`,
      examples: ["1,2"],
    }),
  }),
  responses: { 200: { description: "The badges, in the order of the request", schema: terminalBadgesSchema } },
  async handler({ deps: { db, config }, query, at }, json) {
    const rules = { now: at, exchangeSchema: config.attestationSchemas[0]! };
    const badges = await directoryBadges(db, query.ids, rules);
    return json({ marks: badges.map(rowBadgesView) });
  },
});
