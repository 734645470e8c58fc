/** The view of an event in streams, pages of the log and webhooks. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import { EVENT_NAMES, EVENT_TYPES, type LoggedEvent } from "../events/events.ts";
import { address, block, moment, tokenId, txHash } from "./fields.ts";

export const eventSchema = z
  .object({
    id: z.string().meta({
      description: "Names the event wherever it is told, so that it is recognised when it comes twice",
      examples: ["evt_0f3b5c9d1a2e4f6078b9c0d1"],
    }),
    type: z.enum(EVENT_NAMES),
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
export type EventView = z.output<typeof eventSchema>;

export const eventView = (event: LoggedEvent): EventView => ({
  id: event.id,
  type: event.type,
  at: event.at.toISOString(),
  tokenId: event.tokenId,
  owner: event.owner && checksum(event.owner),
  final: event.final,
  block: event.block,
  txHash: event.txHash,
  data: event.data,
});
