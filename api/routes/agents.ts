/** Agents: the list with its search, one agent, the leaderboard. */
import { z } from "zod";
import { canonicalFramework } from "../../core/agents/frameworks.ts";
import { agentJobsView } from "../../core/commerce/view.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { fail } from "../../core/errors.ts";
import { agentIncomeView } from "../../core/income/view.ts";
import { canonicalReviewsView } from "../../core/reviews/view.ts";
import { agentSchema, agentView } from "../../core/views/agent.ts";
import { reservationsOf } from "../../core/views/reservations.ts";
import { leaderboardItemView, summaryView } from "../../core/views/summary.ts";
import { AGENT_SORTS, type AgentCursor, type AgentSort } from "../../db/lists/agent-list-sql.ts";
import { endpoint } from "../endpoint.ts";
import {
  agentFilters,
  agentRef,
  agentSearch,
  choice,
  flag,
  limit,
  offset,
  owner,
  page,
  searchText,
} from "../parameters.ts";
import { agentArraySchema, agentListSchema, leaderboardSchema } from "../schemas/agent.ts";
import { factsOf, siteOf } from "../services/agent-facts.ts";
import { pageOfAgents } from "../services/agent-pages.ts";

const LIST_LIMIT = { default: 100, max: 1000 };
const ARRAY_LIMIT = 200;

export const agents = endpoint({
  path: "/api/v2/agents",
  operationId: "listAgents",
  tag: "Agents",
  summary: "Agents, filtered, sorted and paged",
  description:
    "Filters run before counting and paging. `cursor` is the stable way through everything: agents registered meanwhile move no page.",
  data: true,
  query: z.object({
    search: agentSearch,
    owner,
    framework: searchText("Only agents of this framework, in any case"),
    verified: flag("Only verified agents, or only unverified ones"),
    spam: flag("true includes names of one character, repeated or not; false unless given"),
    ...agentFilters,
    sort: choice(AGENT_SORTS, { default: "tokenId", what: "Sort field; token id breaks ties" }),
    order: choice(["asc", "desc"], { default: "asc", what: "Direction" }),
    limit: limit(LIST_LIMIT),
    page,
    offset,
    cursor: z
      .string()
      .transform((text, ctx) => {
        const cursor = readCursor(text);
        if (cursor) return cursor;
        ctx.addIssue("must be a nextCursor of this operation");
        return z.NEVER;
      })
      .optional()
      .meta({
        documented: { type: "string" },
        description: "`nextCursor` of the page before; wins over offset and page",
      }),
    format: choice(["object", "array"], {
      default: "object",
      what: `array: a bare array of full agents, at most ${ARRAY_LIMIT}`,
    }),
  }),
  responses: {
    200: { description: "A page of agents", schema: z.union([agentListSchema, agentArraySchema]) },
  },
  async handler({ deps, query, now }, json) {
    const { sort, order, cursor, format } = query;
    if (cursor && (cursor.sort !== sort || cursor.order !== order))
      fail("invalid_input", "The cursor belongs to a list with another sort or order.", {
        details: [{ path: "cursor", message: `is of sort=${cursor.sort}&order=${cursor.order}` }],
      });
    const limit = format === "array" ? Math.min(query.limit, ARRAY_LIMIT) : query.limit;
    const start = query.offset ?? ((query.page ?? 1) - 1) * limit;
    const position = cursor ? { after: cursor } : { offset: start };
    const filter = {
      ...query,
      minScore: query.minCred,
      framework: query.framework && (canonicalFramework(query.framework) ?? query.framework),
    };
    const { page: list, facts } = await pageOfAgents(deps, { ...filter, limit, position });
    const site = siteOf(deps.config);
    const at = new Date(now);
    if (format === "array") return json(facts.map((f) => agentView(f, site, at, deps.index.block)));
    return json({
      total: list.total,
      page: Math.floor(list.skipped / limit) + 1,
      pages: Math.ceil(list.total / limit),
      limit,
      offset: list.skipped,
      agents: facts.map((f) => summaryView(f, site, at)),
      nextCursor: list.next && writeCursor(list.next),
    });
  },
});

/** A cursor is opaque to clients: its content may change with the service. */
const writeCursor = ({ sort, order, key, tokenId, rank }: AgentCursor): string =>
  Buffer.from(JSON.stringify([sort, order, key, tokenId, ...(rank ? [rank] : [])])).toString("base64url");

const cursorSchema = z.tuple([
  z.enum(AGENT_SORTS),
  z.enum(["asc", "desc"]),
  z
    .string()
    .max(1000)
    .refine((key) => key.isWellFormed() && !key.includes("\0")),
  z.int().min(0),
  z.int().min(0).max(2).optional(),
]);
/** The format of a key that is not text; points have up to 78 digits (the contract's 256 bits). */
const KEY: Partial<Record<AgentSort, RegExp>> = {
  tokenId: /^\d{1,18}$/,
  credScore: /^\d{1,18}$/,
  points: /^\d{1,78}$/,
  mintedAt: /^\d{1,18}$/,
};

function readCursor(text: string): AgentCursor | null {
  try {
    const [sort, order, key, tokenId, rank] = cursorSchema.parse(
      JSON.parse(Buffer.from(text, "base64url").toString("utf8")),
    );
    return KEY[sort]?.test(key) === false ? null : { sort, order, key, tokenId, rank };
  } catch {
    return null;
  }
}

export const agent = endpoint({
  path: "/api/v2/agent/{ref}",
  operationId: "getAgent",
  tag: "Agents",
  summary: "One agent in full, by token id or by wallet address",
  data: true,
  params: z.object({ ref: agentRef }),
  responses: { 200: { description: "The agent", schema: agentSchema } },
  errors: ["not_found"],
  async handler({ deps, params, now }, json) {
    const facts = await factsOf(deps.facts, params.ref);
    const at = new Date(now);
    const reservations = reservationsOf(facts, at);
    const reviews = canonicalReviewsView(facts.reviews);
    const payments = agentIncomeView(facts.payments);
    const jobs = agentJobsView(facts.jobs);
    const view = agentView(facts, siteOf(deps.config), at, deps.index.block);
    return json({ ...view, reservations, reviews, payments, jobs });
  },
});

export const leaderboard = endpoint({
  path: "/api/v2/leaderboard",
  operationId: "getLeaderboard",
  tag: "Agents",
  summary: "The best agents by cred or by points",
  data: true,
  query: z.object({
    sort: choice(["cred", "points"], { default: "cred", what: "What counts" }),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Best first; ties share a rank", schema: leaderboardSchema } },
  async handler({ deps, query: { sort, limit }, now }, json) {
    const by = sort === "cred" ? "credScore" : "points";
    const all = { spam: true, sort: by, order: "desc", limit, position: { offset: 0 } } as const;
    const { facts } = await pageOfAgents(deps, all);
    const site = siteOf(deps.config);
    const at = new Date(now);
    const keys = facts.map((f) => (sort === "cred" ? shownCred(f, at).score : f.points));
    return json({
      sort,
      limit,
      // An agent's rank is the position of the first agent with the same value.
      agents: facts.map((f, i) => leaderboardItemView(keys.indexOf(keys[i]!) + 1, f, site, at)),
    });
  },
});
