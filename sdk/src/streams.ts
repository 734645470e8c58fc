/** The service's event streams as iterators that outlive the line they come on, and the log of events in pages. */
import type { Call } from "./call.ts";
import { type FollowOptions, follow, type Gap } from "./event-stream.ts";
import { byCursor } from "./lists.ts";
import type { components } from "./openapi.ts";
import type { Time } from "./time.ts";

type Schemas = components["schemas"];

export type StreamOptions = {
  /** Id of the last event seen: the stream goes on after it, and from now on without one. */
  after?: string | number;
  signal?: AbortSignal;
};

/** Filter of the events. A retraction of a matching event is always included. */
export type EventFilter = {
  types?: readonly Schemas["Event"]["type"][];
  /** Token ids and wallets of agents. */
  agents?: readonly (number | string)[];
  /** Wallets of owners. */
  owners?: readonly string[];
  /** Delivers an event only when no reorganisation of the chain can take it back. */
  final?: boolean;
};

/** Lists go in one parameter, with commas. */
const queryOf = ({ types, agents, owners, final }: EventFilter = {}) => ({
  ...(types && { type: types.join(",") }),
  ...(agents && { agent: agents.join(",") }),
  ...(owners && { owner: owners.join(",") }),
  ...(final && { finality: "final" as const }),
});

/** @param rules.silenceMs milliseconds of silence after which a connection is given up */
export function streams(call: Call, rules: { time: Time; silenceMs: number }) {
  /** Opening a stream: the part that all streams share. */
  const reading = (after: string | null, signal: AbortSignal | undefined) => ({
    headers: { accept: "text/event-stream", ...(after !== null && { "last-event-id": after }) },
    parseAs: "stream" as const,
    signal,
  });
  const following = <Data>(
    { after, ...options }: StreamOptions & Pick<FollowOptions, "onGap">,
    open: FollowOptions["open"],
  ) => follow<Data>({ ...rules, ...options, after: after?.toString(), open });

  return {
    /**
     * The event stream: each event's `type` and `data`, and its position in the log as `id`.
     * @param options.onGap called when missed events are no longer stored; without it, StreamGap is thrown
     */
    events: (filter?: EventFilter, options: StreamOptions & { onGap?: (gap: Gap) => void } = {}) =>
      following<Schemas["Event"]>(options, async (after, signal) => {
        const params = { query: queryOf(filter) };
        return (await call("get", "/api/v2/events", { params, ...reading(after, signal) })).response;
      }),
    /** Past events up to now, from the oldest stored event or after a position in the log. */
    pastEvents: (filter?: EventFilter, { after: from, signal }: StreamOptions = {}) =>
      byCursor<Schemas["Event"], number>(
        async (after) => {
          const params = { query: { ...queryOf(filter), after, limit: 500 } };
          const { data } = await call("get", "/api/v2/events/log", { params, signal });
          return { items: data.events, next: data.more ? data.nextAfter : null };
        },
        from === undefined ? undefined : Number(from),
      ),
    /** A message group's messages as they come. */
    messageStream: (groupId: string, options: StreamOptions = {}) =>
      following<Schemas["Message"]>(options, async (after, signal) => {
        const path = "/api/v2/messages/groups/{groupId}/stream";
        return (await call("get", path, { params: { path: { groupId } }, ...reading(after, signal) })).response;
      }),
  };
}

export type Streams = ReturnType<typeof streams>;
