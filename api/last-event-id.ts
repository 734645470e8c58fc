/** Where the reader of a stream continues: the header Last-Event-ID, and the parameters that replace it. */
import { z } from "zod";
import { fail } from "../core/errors.ts";

/** What polyfills of EventSource send in place of the header, for a browser's own cannot set one. */
export const lastEventId = z
  .string()
  .optional()
  .meta({
    documented: { type: "string", maxLength: 16 },
    description: "Id of the last event seen, as the header Last-Event-ID; empty for none",
  });

/**
 * The position after which a reader continues: the latest of those that it names. A polyfill repeats the address with
 * `lastEventId`, and a browser the first `after`, when they connect again.
 * @param lastEventId what the reader says it has seen, from the header or the query; an empty one is none
 * @throws Failure invalid_input
 */
export function positionAfter(lastEventId: string | undefined, asked: number | undefined): number | undefined {
  const seen = lastEventId?.trim() ? positionOf(lastEventId.trim()) : undefined;
  return seen === undefined || asked === undefined ? (seen ?? asked) : Math.max(seen, asked);
}

function positionOf(lastEventId: string): number {
  const position = /^(0|[1-9]\d{0,15})$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  return fail("invalid_input", "Last-Event-ID is no id that this stream has given.", {
    details: [{ path: "Last-Event-ID", message: "must be the id of an event" }],
  });
}
