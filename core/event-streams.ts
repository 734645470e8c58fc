/** Streams of events, as answers declare them. */

/** @param headers with names in lower case */
export const isEventStream = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");
