/** Streams of the event log: one feed in this process for all events and one for final events, woken by Postgres. */
import { type EventFilter, filterOf, type LoggedEvent } from "../../core/events/events.ts";
import { eventView } from "../../core/views/webhooks.ts";
import { EVENTS_CHANNEL, eventLog, eventsAfter } from "../../db/events/events.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { sharedRead } from "../../runtime/once.ts";
import type { ApiDeps } from "../deps.ts";
import { EventFeed, type FeedPage, type FeedRow, openFeeds } from "../http/event-feed.ts";
import { type EventStream, frameOf } from "../http/event-stream.ts";

/** The events that a reader wants. */
export type EventSelection = { final: boolean; filter: EventFilter };

/** Where the log begins and ends, as just read. */
export type LogBounds = { head: number; keptAfter: number };

/** A gap in a reader's events: they are no longer stored, or the position is not of this log. */
export type Gap = { after: number; resumedAfter: number; error: string };

type Reader = { filter: EventFilter; wants(event: LoggedEvent): boolean };
type Row = FeedRow & { event: LoggedEvent };

/** Milliseconds between reads for events without a notification. */
const WATCH_MS = 1_000;
/** Positions before the end from which a new feed reads, for readers that reconnect. */
const POSITIONS_BEFORE_END = 200;

/** The position from which a reader continues, and the gap where it misses events. */
export function resume({ head, keptAfter }: LogBounds, after: number): { after: number; gap: Gap | null } {
  if (after >= keptAfter && after <= head) return { after, gap: null };
  const resumedAfter = after > head ? head : keptAfter;
  const error =
    after > head
      ? "The log has given no such position: it is another log than the one read before. It goes on from its end."
      : "Events after this position are kept no longer. The log goes on from the oldest that are.";
  return { after: resumedAfter, gap: { after, resumedAfter, error } };
}

export function logStreams({ db, log }: Pick<ApiDeps, "db" | "log">, { watchMs = WATCH_MS } = {}) {
  const failed = (err: unknown) => log.warn({ err }, "the event log could not be read for its streams; tried again");
  const feeds = openFeeds<boolean, Reader>({
    listen: (notify) => notifications(db).on(EVENTS_CHANNEL, notify),
    heads: (head) => () => Number(head),
    async readHeads() {
      const { head } = await eventLog(db);
      return () => head;
    },
    watchMs,
    failed,
  });

  async function read(final: boolean, filter: EventFilter, after: number, limit: number): Promise<FeedPage<Row>> {
    const { head } = await eventLog(db);
    const { events, through } = await eventsAfter(db, { after, head, limit, final, filter });
    const rows = events.map((event) => ({ position: event.position, event, frame: frameOfEvent(event) }));
    return { rows, through, more: through < head };
  }

  const open = (final: boolean, { head, keptAfter }: LogBounds): EventFeed<Reader> =>
    new EventFeed<Reader, Row>(
      {
        read: (after, limit) => read(final, {}, after, limit),
        readFor: ({ filter }, after, limit) => read(final, filter, after, limit),
        wants: ({ wants }, { event }) => wants(event),
        failed,
      },
      Math.max(keptAfter, head - POSITIONS_BEFORE_END),
    );

  return {
    /** Reads where the log begins and ends: shared, because after a restart all readers reconnect together. */
    bounds: sharedRead((): Promise<LogBounds> => eventLog(db)),
    /** Sends a stream the events after a position; without one, the events from now on. */
    follow(
      bounds: LogBounds,
      stream: EventStream,
      { after, final, filter }: EventSelection & { after: number | undefined },
    ): void {
      const from = resume(bounds, after ?? bounds.head);
      if (from.gap) stream.write(frameOf({ event: "gap", data: from.gap }));
      feeds.follow(final, stream, {
        position: from.after,
        head: bounds.head,
        as: { filter, wants: filterOf(filter) },
        open: () => open(final, bounds),
      });
    },
  };
}

const frameOfEvent = (event: LoggedEvent) =>
  Buffer.from(frameOf({ id: event.position, event: event.type, data: eventView(event) }));
