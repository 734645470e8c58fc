/** What a webhook is, which events it is told of, and what a delivery of one of them has come to. */
import type { EventFilter, EventType } from "../events.ts";
import type { Address } from "../facts.ts";
import type { DisabledReason, ReceiverHealth } from "./attempts.ts";
import type { LaneState } from "./lanes.ts";

/** any: events as they happen, and their retraction when a block is undone; final: only what can no longer be undone. */
export const FINALITIES = ["any", "final"] as const;
export type Finality = (typeof FINALITIES)[number];

/** Which events somebody wants to be told of, and when. Addresses are lower-case. */
export type Wishes = {
  events: EventType[];
  /** Only about these agents, by token id or by wallet; null: about any. */
  tokenIds: number[] | null;
  addresses: Address[] | null;
  /** Only about agents of these wallets; null: of any. */
  owners: Address[] | null;
  finality: Finality;
};

export type Webhook = Wishes &
  ReceiverHealth &
  LaneState & {
    webhookId: string;
    /** The wallet that made it, and alone sees and changes it. */
    owner: Address;
    url: string;
    createdAt: Date;
    /** Null while it is on. */
    disabledAt: Date | null;
    disabledReason: DisabledReason | null;
  };

export const filterOfWishes = ({ events, tokenIds, addresses, owners }: Omit<Wishes, "finality">): EventFilter => ({
  types: events,
  ...((tokenIds || addresses) && { agents: { tokenIds: tokenIds ?? [], addresses: addresses ?? [] } }),
  ...(owners && { owners }),
});

/** pending: to be sent when due; delivered: taken by the receiver; dead: given up until somebody replays it. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An attempt that was made: the receiver's status, or why there was none. */
export type LoggedAttempt = { at: string; status: number | null; error: string | null; durationMs: number };

export type Delivery = {
  deliveryId: number;
  eventId: string;
  eventType: string;
  /** Place of the event in the log; null for what is in no log. */
  position: number | null;
  /** Whether the event was final when it was told. */
  final: boolean;
  state: DeliveryState;
  createdAt: Date;
  /** When it is sent next; of a settled one when it was to be sent last. */
  dueAt: Date;
  /** When it was delivered or given up. */
  settledAt: Date | null;
  /** Attempts since it was made or last replayed. */
  attempts: number;
  /** The last attempts, the oldest first. */
  log: LoggedAttempt[];
};
