/** Server-Sent Events as an iterator that resumes after a lost connection, until the service or the reader ends it. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiError, ConnectionError, StreamEnded, StreamGap } from "./errors.ts";
import { backoffMs } from "./retry.ts";
import { type Time, unlessAborted } from "./time.ts";

export type StreamEvent<Data = unknown> = {
  /** Position in the stream: pass it as `after` to resume. Undefined for an event without a position. */
  id: string | undefined;
  /** Name of the event; `message` when it has none. */
  type: string;
  data: Data;
};

/** What the service says about missed events: the stream was to go on after `after`, and goes on after `resumedAfter`. */
export type Gap = { after: number; resumedAfter: number; error: string };

export type FollowOptions = {
  /** Opens the stream after this id, null = from now on. @throws ApiError, ConnectionError */
  open(after: string | null, signal: AbortSignal | undefined): Promise<Response>;
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Called when missed events are no longer stored; without it, the stream ends with StreamGap. */
  onGap?: ((gap: Gap) => void) | undefined;
  time: Time;
  /** Milliseconds of silence after which a connection is given up; the service sends a comment every 15 seconds. */
  silenceMs: number;
};

/** Reconnect delay in milliseconds, until the service sends another one. */
const RETRY_MS = 2_000;
/** Max length of one event. Events the reader has not taken wait in the connection, not in memory. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/**
 * Every event, once, in the stream's order. A line that breaks is followed by another, which goes on after the last
 * event that was given (Last-Event-ID), for as long as it takes: the service may be restarted meanwhile. The first line
 * must come about; a refusal of it, or a permanent refusal of a later one, is thrown.
 * @throws ApiError, ConnectionError (first line), StreamEnded, StreamGap, the signal's reason
 */
export async function* follow<Data>(options: FollowOptions): AsyncGenerator<StreamEvent<Data>, void, undefined> {
  const { open, signal, time, silenceMs } = options;
  let after = options.after ?? null;
  let retryMs = RETRY_MS;
  let opened = false;
  for (let failures = 0; ; ) {
    try {
      const response = await open(after, signal);
      opened = true;
      for await (const frame of frames(response, silenceMs, signal)) {
        failures = 0;
        if ("retry" in frame) {
          retryMs = frame.retry;
          continue;
        }
        const event: StreamEvent<Data> = { id: frame.id, type: frame.event ?? "message", data: JSON.parse(frame.data) };
        if (frame.id !== undefined) after = frame.id;
        if (event.type === "end") endedFor(event.data);
        else if (event.type === "gap") missed(event.data as Gap, options.onGap);
        else if (!PLACES.has(event.type)) yield event;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!opened || !passes(error)) throw error;
      failures++;
    }
    await time.sleep(failures > 1 ? retryMs + backoffMs(failures, time) : retryMs, signal);
  }
}

/** Events that only carry a position in the stream. */
const PLACES = new Set(["start", "position"]);

function missed(gap: Gap, onGap: FollowOptions["onGap"]): void {
  if (!onGap) throw new StreamGap(gap);
  onGap(gap);
}

/** End reasons after which the client reconnects: a restart, and an expired credential, which is signed anew. */
const PASSING_ENDS = new Set(["restarting", "unauthenticated"]);

/** @throws StreamEnded when reconnecting is useless */
function endedFor(data: unknown): void {
  const body = (data ?? {}) as Record<string, unknown>;
  if (!PASSING_ENDS.has(String(body.reason))) throw new StreamEnded(body);
}

/** True when the error of a connection may be temporary. */
function passes(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError;
}

/** The frames of one connection, which ends with the reader. @throws ConnectionError when it breaks or falls silent, the signal's reason */
async function* frames(
  response: Response,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventSourceMessage | { retry: number }> {
  const waiting: (EventSourceMessage | { retry: number })[] = [];
  const parser = createParser({
    onEvent: (event) => void waiting.push(event),
    onRetry: (retry) => void waiting.push({ retry }),
    maxBufferSize: LONGEST_EVENT,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const silence = AbortSignal.timeout(silenceMs);
      const read = unlessAborted(reader.read(), silence).catch((error) => Promise.reject(new ConnectionError(error)));
      const chunk = await unlessAborted(read, signal);
      if (chunk.done) return;
      parser.feed(chunk.value);
      yield* waiting.splice(0);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
