/** Events as the API shows them. */
import { z } from "zod";
import { EVENT_NAMES, EVENT_TYPES } from "../../core/events/events.ts";
import { address, block, count, moment, tokenId, txHash } from "./fields.ts";

const eventType = z.enum(EVENT_NAMES);

const eventSchema = z
  .object({
    id: z.string().meta({
      description: "Names the event wherever it is told, so that it is recognised when it comes twice",
      examples: ["evt_0f3b5c9d1a2e4f6078b9c0d1"],
    }),
    type: eventType,
    at: moment.meta({ description: "When it happened: the time of its block, or of the write" }),
    tokenId: tokenId.nullable(),
    owner: address.nullable().meta({ description: "The agent's owner then" }),
    final: z.boolean().meta({ description: "No reorganisation of the chain can take it back" }),
    block: block.nullable().meta({ description: "The block it rests on; null for what the chain does not say" }),
    txHash: txHash.nullable(),
    data: z
      .union(Object.entries(EVENT_TYPES).map(([type, { says, data }]) => data.meta({ title: type, description: says })))
      .meta({ description: "By the type" }),
  })
  .meta({ id: "Event" });

export const eventsSchema = z
  .object({
    events: z.array(eventSchema),
    after: count,
    limit: z.int().min(1),
    nextAfter: count.meta({ description: "Give it back as `after`, or to the stream as `Last-Event-ID`" }),
    more: z.boolean().meta({ description: "There is more to look at already" }),
    gap: z
      .object({ after: count, resumedAfter: count, error: z.string() })
      .nullable()
      .meta({ description: "Events were missed: they are kept no longer" }),
  })
  .meta({ id: "Events" });

export const agentEventsSchema = z
  .object({
    tokenId,
    events: z.array(eventSchema),
    limit: z.int().min(1),
    nextBefore: count.nullable().meta({ description: "Give it back as `before` for older ones; null: there are none" }),
    since: moment
      .nullable()
      .meta({ description: "When the oldest event of the whole log happened; null: it has none" }),
  })
  .meta({ id: "AgentEvents" });
