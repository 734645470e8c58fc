/** Agents: the list, the search, many at once, one agent with its handshakes, the leaderboard. */
import { array, object, strictObject, union, z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { canonicalFramework } from "../../core/agents/frameworks.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { TIERS, type TierKey } from "../../core/cred/tiers.ts";
import { fail } from "../../core/errors.ts";
import { agentPageView, agentSchema, agentView, leaderboardItemView, summaryView } from "../../core/views/agent.ts";
import { handshakesOf } from "../../db/agents/activity.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { agentsOfWallets } from "../../db/agents/wallets.ts";
import { AGENT_SORTS, type AgentCursor, type AgentSort } from "../../db/lists/agent-list-sql.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import {
  agentFilters,
  agentRef,
  agentSearch,
  choice,
  flag,
  limit,
  offset,
  optionalChoice,
  owner,
  page,
  searchText,
  textAs,
} from "../parameters.ts";
import { pageNumbers, startOf } from "../reply.ts";
import {
  agentArraySchema,
  agentListSchema,
  batchSchema,
  handshakesSchema,
  leaderboardSchema,
  searchSchema,
} from "../schemas/agent.ts";
import { factsOf, pageOfAgents } from "../services/agent-facts.ts";

const endpoint = endpointsOf({ tag: "Agents", named: { ref: agentRef }, data: true });

const LIST_LIMIT = { default: 100, max: 1000 };
const ARRAY_LIMIT = 200;

export const agents = endpoint({
  path: "/api/v2/agents",
  operationId: "listAgents",
  summary: "Agents, filtered, sorted and paged",
  description:
    "Filters run before counting and paging. `cursor` is the stable way through everything: agents registered meanwhile move no page.",
  query: object({
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
    cursor: textAs(readCursor, "must be a nextCursor of this operation")
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
  responses: { 200: { description: "A page of agents", schema: union([agentListSchema, agentArraySchema]) } },
  async handler({ deps, query, at }, json) {
    const { sort, order, cursor, format } = query;
    if (cursor && (cursor.sort !== sort || cursor.order !== order))
      fail("invalid_input", "The cursor belongs to a list with another sort or order.", {
        details: [{ path: "cursor", message: `is of sort=${cursor.sort}&order=${cursor.order}` }],
      });
    const limit = format === "array" ? Math.min(query.limit, ARRAY_LIMIT) : query.limit;
    const position = cursor ? { after: cursor } : { offset: startOf({ ...query, limit }) };
    const filter = {
      ...query,
      minScore: query.minCred,
      framework: query.framework && (canonicalFramework(query.framework) ?? query.framework),
    };
    const { page: list, facts } = await pageOfAgents(deps, { ...filter, limit, position });
    if (format === "array") return json(facts.map((f) => agentView(f, deps.site, at, deps.index.block)));
    return json({
      ...pageNumbers(list.total, { limit, offset: list.skipped }),
      agents: facts.map((f) => summaryView(f, deps.site, at)),
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
  summary: "One agent in full, by token id or by wallet address",
  responses: { 200: { description: "The agent", schema: agentSchema } },
  async handler({ deps, params, at }, json) {
    const facts = await factsOf(deps.facts, params.ref);
    return json(agentPageView(facts, deps.site, at, deps.index.block));
  },
});

export const leaderboard = endpoint({
  path: "/api/v2/leaderboard",
  operationId: "getLeaderboard",
  summary: "The best agents by cred or by points",
  query: object({
    sort: choice(["cred", "points"], { default: "cred", what: "What counts" }),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Best first; ties share a rank", schema: leaderboardSchema } },
  async handler({ deps, query: { sort, limit }, at }, json) {
    const by = sort === "cred" ? "credScore" : "points";
    const all = { spam: true, sort: by, order: "desc", limit, position: { offset: 0 } } as const;
    const { facts } = await pageOfAgents(deps, all);
    const keys = facts.map((f) => (sort === "cred" ? shownCred(f, at).score : f.points));
    return json({
      sort,
      limit,
      // An agent's rank is the position of the first agent with the same value.
      agents: facts.map((f, i) => leaderboardItemView(keys.indexOf(keys[i]!) + 1, f, deps.site, at)),
    });
  },
});

const TIER_KEYS = TIERS.map(({ key }) => key) as [TierKey, ...TierKey[]];

export const searchAgents = endpoint({
  path: "/api/v2/search",
  operationId: "searchAgents",
  summary: "Agents by name, address, owner or token id, the best cred first",
  description:
    "Who copies a name has no cred yet, so the original comes first. Names of one character, repeated or not, are left out.",
  query: object({
    q: agentSearch,
    owner,
    ...agentFilters,
    tier: optionalChoice(TIER_KEYS, "Only agents of this tier"),
    verified: flag("Only verified agents, or only unverified ones"),
    limit: limit({ default: 20, max: 100 }),
  }),
  responses: { 200: { description: "Best cred first, ties by token id", schema: searchSchema } },
  async handler({ deps, query: { q, tier: key, limit, minCred, ...rest }, at }, json) {
    const tier = TIERS.find((t) => t.key === key);
    const { page, facts } = await pageOfAgents(deps, {
      ...rest,
      search: q,
      minScore: Math.max(minCred ?? 0, tier?.from ?? 0),
      maxScore: tier?.to ?? 100,
      sort: "credScore",
      order: "desc",
      limit,
      position: { offset: 0 },
    });
    return json({ q: q ?? "", total: page.total, limit, agents: facts.map((f) => summaryView(f, deps.site, at)) });
  },
});

const MAX_AGENTS = 100;

const askedAgent = union([z.string(), z.number()]);
type BatchQuery = z.output<typeof askedAgent>;

export const batch = endpoint({
  method: "post",
  path: "/api/v2/agents/batch",
  operationId: "getAgents",
  summary: `Up to ${MAX_AGENTS} agents at once, by token id or wallet address`,
  description:
    "`found` is in the order of the request, each agent once. `missing` and `invalid` repeat items as they were sent.",
  guard: { bucket: "reads" },
  body: strictObject({
    ids: array(askedAgent)
      .max(MAX_AGENTS)
      .meta({
        description: "Token ids (numbers or decimal strings) and 0x addresses, in any mixture",
        examples: [[0, "1", "0x19B16428f0721a5f627F190Ca61D493A632B423F"]],
      }),
  }),
  responses: { 200: { description: "What was found, what does not exist, what is no id", schema: batchSchema } },
  async handler({ deps, body: { ids }, at }, json) {
    const refs = ids.map((id) => ({ id, ref: refOf(id) }));
    const addresses = refs.flatMap(({ ref }) => (typeof ref === "string" ? [ref] : []));
    const { tokenOf, facts } = await snapshot(deps.db, async (db) => {
      const byWallet = await agentsOfWallets(db, addresses);
      const tokenOf = (ref: number | Address) => (typeof ref === "number" ? ref : byWallet.get(ref));
      const tokenIds = refs.flatMap(({ ref }) => (ref === null ? [] : (tokenOf(ref) ?? [])));
      return { tokenOf, facts: await loadFacts(db, [...new Set(tokenIds)]) };
    });
    const known = new Set(facts.map(({ tokenId }) => tokenId));
    const exists = (ref: number | Address) => {
      const tokenId = tokenOf(ref);
      return tokenId !== undefined && known.has(tokenId);
    };
    return json({
      found: facts.map((f) => summaryView(f, deps.site, at)),
      missing: refs.filter(({ ref }) => ref !== null && !exists(ref)).map(({ id }) => id),
      invalid: refs.filter(({ ref }) => ref === null).map(({ id }) => id),
    });
  },
});

/** A token id, an address, or neither. */
function refOf(id: BatchQuery): number | Address | null {
  if (typeof id === "number") return Number.isSafeInteger(id) && id >= 0 ? id : null;
  if (/^(0|[1-9]\d{0,15})$/.test(id)) return Number.isSafeInteger(Number(id)) ? Number(id) : null;
  return parseAddress(id);
}

export const handshakes = endpoint({
  path: "/api/v2/agent/{ref}/handshakes",
  operationId: "listHandshakes",
  summary: "The handshakes that an agent has completed with others, the newest first",
  query: object({ limit: limit({ default: 20, max: 100 }), page, offset }),
  responses: { 200: { description: "A page of handshakes", schema: handshakesSchema } },
  async handler({ deps, params, query }, json) {
    const { tokenId } = await factsOf(deps.facts, params.ref);
    const { limit } = query;
    const offset = startOf(query);
    const list = await handshakesOf(deps.db, { tokenId, limit, offset });
    return json({
      tokenId,
      ...pageNumbers(list.total, { limit, offset }),
      handshakes: list.page.map(({ fromTokenId, toTokenId, name, completedAt, block, txHash }) => ({
        direction: fromTokenId === tokenId ? ("sent" as const) : ("received" as const),
        tokenId: fromTokenId === tokenId ? toTokenId : fromTokenId,
        name,
        completedAt: new Date(completedAt * 1000).toISOString(),
        block,
        txHash,
      })),
    });
  },
});
