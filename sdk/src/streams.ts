/** The service's event streams as iterators that outlive the line they come on. */
import type { Call } from "./call.ts";
import { follow, type StreamEvent } from "./event-stream.ts";
import type { components } from "./openapi.ts";
import type { Time } from "./time.ts";

export type StreamOptions = {
  /** Id of the last event seen: the stream goes on after it, and from now on without one. */
  after?: string | number;
  signal?: AbortSignal;
};

export type Streams = {
  /** A message group's messages as they come. */
  messageStream(
    groupId: string,
    options?: StreamOptions,
  ): AsyncGenerator<StreamEvent<components["schemas"]["Message"]>>;
};

/** @param silenceMs a line on which nothing comes for so long is given up */
export function streams(call: Call, rules: { time: Time; silenceMs: number }): Streams {
  const accept = { accept: "text/event-stream" };

  return {
    messageStream: (groupId, { after: from, signal } = {}) =>
      follow({
        ...rules,
        signal,
        after: from?.toString(),
        open: async (after, line) => {
          const { response } = await call("get", "/api/v2/messages/groups/{groupId}/stream", {
            params: { path: { groupId } },
            headers: after === null ? accept : { ...accept, "last-event-id": after },
            parseAs: "stream",
            signal: line,
          });
          return response;
        },
      }),
  };
}
