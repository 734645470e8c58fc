/** Types of a webhook, of its subscription to events, and of a delivery with its state. */
import type { Address } from "../agents/facts.ts";
import type { EventFilter, EventType } from "../events/events.ts";
import type { DisabledReason, ReceiverHealth } from "./attempts.ts";
import type { PoolState } from "./pools.ts";

/** any: events as they happen, and their retraction when a reorganisation removes the block; final: only final events. */
export const FINALITIES = ["any", "final"] as const;
export type Finality = (typeof FINALITIES)[number];

/** The events that a webhook receives, and when. Addresses are lower-case. */
export type Subscription = {
  events: EventType[];
  /** Only events about these agents, by token id or by wallet; null: about any. */
  tokenIds: number[] | null;
  addresses: Address[] | null;
  /** Only events about agents of these owners; null: of any. */
  owners: Address[] | null;
  finality: Finality;
};

export type Webhook = Subscription &
  ReceiverHealth &
  PoolState & {
    webhookId: string;
    /** The wallet that created it; only this wallet sees and changes it. */
    owner: Address;
    url: string;
    createdAt: Date;
    /** Null while the webhook is enabled. */
    disabledAt: Date | null;
    disabledReason: DisabledReason | null;
  };

export const filterOfSubscription = ({
  events,
  tokenIds,
  addresses,
  owners,
}: Omit<Subscription, "finality">): EventFilter => ({
  types: events,
  ...((tokenIds || addresses) && { agents: { tokenIds: tokenIds ?? [], addresses: addresses ?? [] } }),
  ...(owners && { owners }),
});

/** pending: will be sent when due; delivered: accepted by the receiver; dead: not retried any more, until a replay. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt: the receiver's status, or the reason why there is none. */
export type LoggedAttempt = { at: string; status: number | null; error: string | null; durationMs: number };

export type Delivery = {
  deliveryId: number;
  eventId: string;
  eventType: string;
  /** Position of the event in the log; null for a test event, which is not in the log. */
  position: number | null;
  /** Whether the event was final when the delivery was created. */
  final: boolean;
  state: DeliveryState;
  createdAt: Date;
  /** Time of the next attempt; of a settled delivery, the time at which the last one was due. */
  dueAt: Date;
  /** When it became delivered or dead. */
  settledAt: Date | null;
  /** Number of attempts since it was created or last replayed. */
  attempts: number;
  /** The latest attempts, the oldest first. */
  log: LoggedAttempt[];
};
