/** Events as the API shows them. */
import { z } from "zod";
import { eventSchema } from "../../core/views/events.ts";
import { count, moment, tokenId } from "../../core/views/fields.ts";

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
