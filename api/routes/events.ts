/** The event log: followed as a stream, read in pages, or of one agent. */
import { z } from "zod";
import { EVENT_NAMES } from "../../core/events/events.ts";
import { eventView } from "../../core/views/webhooks.ts";
import { eventLog, eventsAfter, eventsOfAgent, oldestEventAt } from "../../db/events/events.ts";
import { endpointsOf } from "../endpoint.ts";
import { lastEventId, positionAfter } from "../http/event-stream.ts";
import { agentRef, choice, choices, integer, limit, listOf, walletAddress } from "../parameters.ts";
import { agentEventsSchema, eventsSchema } from "../schemas/webhooks.ts";
import { factsOf } from "../services/agent-facts.ts";
import { type EventSelection, resume } from "../services/log-streams.ts";

const endpoint = endpointsOf({ tag: "Events" });

/** Agents and owners that one reader may name. */
const MAX_NAMED = 100;

const position = (what: string) => integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what }).optional();
const agents = listOf(agentRef, {
  most: MAX_NAMED,
  what: "Only events about these agents, each a token id or the agent's wallet",
  example: "0,12",
});
const owners = listOf(walletAddress, {
  most: MAX_NAMED,
  what: "Only events about agents of these owners, or former owners at a transfer",
  example: "0x19B16428f0721a5f627F190Ca61D493A632B423F",
});
const filters = {
  type: choices(EVENT_NAMES, "Only events of these types, and what takes one of them back"),
  agent: agents,
  // The names that webhooks use: a query by them must not be ignored and answered with all events.
  agents: agents.meta({ ...agents.meta(), description: "As `agent`" }),
  owner: owners,
  owners: owners.meta({ ...owners.meta(), description: "As `owner`" }),
  finality: choice(["any", "final"], {
    default: "any",
    what: "`final`: each event only once no reorganisation can take it back",
  }),
};

type Filters = z.output<z.ZodObject<typeof filters>>;

/** Two lists of one thing as one; undefined where neither was given. */
const together = <T>(one?: readonly T[], other?: readonly T[]): readonly T[] | undefined =>
  one || other ? [...(one ?? []), ...(other ?? [])] : undefined;

function wanted({ type, finality, ...named }: Filters): EventSelection {
  const agents = together(named.agent, named.agents);
  const owners = together(named.owner, named.owners);
  return {
    final: finality === "final",
    filter: {
      ...(type && { types: type }),
      ...(agents && {
        agents: {
          tokenIds: agents.flatMap((ref) => ("tokenId" in ref ? [ref.tokenId] : [])),
          addresses: agents.flatMap((ref) => ("address" in ref ? [ref.address] : [])),
        },
      }),
      ...(owners && { owners }),
    },
  };
}

export const eventStream = endpoint({
  path: "/api/v2/events",
  operationId: "streamEvents",
  summary: "What happens, as it happens",
  description:
    "Server-Sent Events: each is named by its type, its id is its position in the log, its data are its JSON. Begins with what comes next, or after Last-Event-ID, `lastEventId` or `after`, whichever is the latest. What a reorganisation of the chain takes back is followed by `event.retracted` with its id. Besides there are `start` (where the stream begins), `position` (how far it has got when nothing was for you), `gap` (events you missed are kept no longer) and `end` (why it ends).",
  stream: true,
  query: z.object({ ...filters, after: position("Position of the last event seen"), lastEventId }),
  responses: { 200: { description: "The stream; it stays open", type: "text/event-stream" } },
  errors: ["upstream_unavailable", "timeout"],
  async handler({ deps, query: { after, lastEventId, ...query }, reader, response, lastEventId: header }) {
    // The reader's slot first: nothing is read for one that has none.
    const open = deps.streams.take(response, [reader]);
    const from = positionAfter(header, positionAfter(lastEventId, after));
    const bounds = await deps.logStreams.bounds();
    const content = open((stream) => deps.logStreams.follow(bounds, stream, { ...wanted(query), after: from }));
    return { status: 200, type: "text/event-stream", content };
  },
});

export const eventPage = endpoint({
  path: "/api/v2/events/log",
  operationId: "listEvents",
  summary: "What has happened, in pages, oldest first",
  description:
    "The log that the stream carries, for clients that poll: begin without `after` for the oldest events that are kept, go on with `nextAfter`, at once while `more` is true. With filters a page may be short, or empty, and still have more behind it.",
  query: z.object({
    ...filters,
    after: position("`nextAfter` of the answer before"),
    limit: limit({ default: 100, max: 1000 }),
  }),
  responses: { 200: { description: "Events in their order", schema: eventsSchema } },
  errors: ["upstream_unavailable", "timeout"],
  async handler({ deps, query: { after: asked, limit, ...query } }, json) {
    const bounds = await deps.logStreams.bounds();
    const { after, gap } = resume(bounds, asked ?? bounds.keptAfter);
    const { head } = bounds;
    const { events, through } = await eventsAfter(deps.db, { after, head, limit, ...wanted(query) });
    return json({ events: events.map(eventView), after, limit, nextAfter: through, more: through < head, gap });
  },
});

export const agentEvents = endpoint({
  path: "/api/v2/agent/{ref}/events",
  operationId: "listAgentEvents",
  summary: "What happened to an agent, the newest first",
  description:
    "The events of one agent that the log keeps, without those that a reorganisation of the chain took back. With `type` a page may be short, or empty, and still have older ones behind it: go on with `nextBefore` until it is null.",
  data: true,
  params: z.object({ ref: agentRef }),
  query: z.object({
    type: choices(EVENT_NAMES, "Only events of these types"),
    before: position("`nextBefore` of the answer before"),
    limit: limit({ default: 50, max: 200 }),
  }),
  responses: { 200: { description: "The events", schema: agentEventsSchema } },
  errors: ["not_found"],
  async handler({ deps, params: { ref }, query: { type, before, limit } }, json) {
    const { tokenId } = await factsOf(deps.facts, ref);
    const { head } = await eventLog(deps.db);
    const scope = { tokenId, limit, before: Math.min(before ?? head + 1, head + 1), ...(type && { types: type }) };
    const [{ events, nextBefore }, oldest] = await Promise.all([eventsOfAgent(deps.db, scope), oldestEventAt(deps.db)]);
    const since = oldest?.toISOString() ?? null;
    return json({ tokenId, events: events.map(eventView), limit, nextBefore, since });
  },
});
