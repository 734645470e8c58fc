/** The view of an event in streams, pages of the log and webhooks. */
import { checksum } from "../addresses.ts";
import type { Address, Hex } from "../agents/facts.ts";
import type { EventData, EventType, LoggedEvent } from "../events/events.ts";

export type EventView = {
  id: string;
  type: EventType;
  /** ISO 8601. */
  at: string;
  tokenId: number | null;
  owner: Address | null;
  final: boolean;
  block: number | null;
  txHash: Hex | null;
  data: EventData;
};

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
