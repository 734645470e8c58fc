/**
 * Server-Sent Events: connections that stay open. This file has what all streams share: headers, limits, heartbeats,
 * readers that do not read, the end of the process. The content comes from `event-feed.ts`.
 */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Who } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";
import { concurrencyLimit, type ResponseEnd } from "./concurrency-limit.ts";
import type { ContentCoding } from "./content-coding.ts";

/** Why a stream ends; sent to the reader in the last event. */
export type StreamEnding = { reason: string; error: string } & Record<string, unknown>;

/** One open stream, as its feed sees it. */
export type EventStream = {
  /** False after its end, by either side. */
  readonly open: boolean;
  /** The reader has not taken the bytes written: write no more before `onReady`. */
  readonly full: boolean;
  /** Writes a frame made by `frameOf`. */
  write(frame: string | Buffer): void;
  /** Ends it after a last event `end` with the reason. */
  end(ending: StreamEnding): void;
  /** Called when a heartbeat is due; may return a frame to write instead of it. */
  onBeat(instead: () => string | undefined): void;
  /** Called each time a full stream can be written to again. */
  onReady(ready: () => void): void;
  /** Called once, when it is over. */
  onClose(closed: () => void): void;
};

/** Writes the body of a response whose head, with these headers, has been written: in a coding, where it is compressible. */
export type StreamContent = {
  headers: Record<string, string>;
  compressible?: true;
  stream(outgoing: ServerResponse, coding?: ContentCoding): void;
};

export type EventStreams = {
  /**
   * Acquires the slot of a stream before anything is read for it; the slot is released when the response closes.
   * @param readers the client or API key, and the wallet that has signed in
   * @returns makes the answer that stays open; `begin` gets the stream once it is open
   * @throws Failure rate_limited (this reader has enough of them), overloaded (the process has)
   */
  take(response: ResponseEnd, readers: readonly Who[]): (begin: (stream: EventStream) => void) => StreamContent;
  /** Ends all streams because the process ends; readers are sent a reconnect time each, spread over some seconds. */
  endAll(): void;
  readonly count: number;
};

export type StreamRules = {
  /** Open streams of one network and of one wallet, and of the process; 0 = no limit. */
  perClient: number;
  perProcess: number;
  /** Milliseconds between heartbeat comments, so that neither reader nor proxy takes silence for a dead connection. */
  heartbeatMs?: number;
  /** A reader that takes nothing for this long is dropped. */
  stallMs?: number;
  /** Milliseconds, monotonic. */
  now?: () => number;
};

/** Headers of every stream. They forbid proxies to store, compress or buffer it. */
const STREAM_HEADERS = {
  "cache-control": "private, no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

const RETRY_MS = 2_000;
/** Milliseconds over which the reconnects of an ending process's readers are spread. */
const SPREAD_MS = 4_000;
const HEARTBEAT = ": still here\n\n";

/**
 * An event as it is sent (HTML standard, section 9.2). A reader continues after `id`. JSON has no line breaks, so
 * `data` is one line.
 */
export function frameOf({ id, event, data }: { id?: number | string; event?: string; data: unknown }): string {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

type OpenStream = { stream: EventStream; beat(): void; look(): void };

export function eventStreams(rules: StreamRules): EventStreams {
  const { perClient, perProcess, heartbeatMs = 15_000, stallMs = 30_000, now = () => performance.now() } = rules;
  const all = new Set<OpenStream>();
  const limit = concurrencyLimit("streams", { perHolder: perClient, inAll: perProcess });
  let ending = false;
  let beats: NodeJS.Timeout | undefined;
  let looks: NodeJS.Timeout | undefined;

  function add(opened: OpenStream): void {
    all.add(opened);
    beats ??= setInterval(() => all.forEach((one) => void one.beat()), heartbeatMs);
    looks ??= setInterval(() => all.forEach((one) => void one.look()), stallMs / 4);
    opened.stream.onClose(() => {
      all.delete(opened);
      if (all.size > 0) return;
      clearInterval(beats);
      clearInterval(looks);
      beats = undefined;
      looks = undefined;
    });
  }

  return {
    take(response, readers) {
      if (ending) fail("overloaded", "This process is ending. Connect again.", { retryAfter: 1 });
      limit.acquire(response, readers);
      return (begin) => ({
        headers: STREAM_HEADERS,
        stream(outgoing) {
          // The reader disconnected during its request: no event would report that later.
          if (outgoing.destroyed) return;
          const opened = openStream(outgoing, stallMs, now);
          add(opened);
          outgoing.write(`retry: ${RETRY_MS}\n\n`);
          if (ending) opened.stream.end(restarting());
          else begin(opened.stream);
        },
      });
    },
    endAll() {
      ending = true;
      for (const { stream } of [...all]) {
        stream.write(`retry: ${Math.round(RETRY_MS / 2 + Math.random() * SPREAD_MS)}\n`);
        stream.end(restarting());
      }
    },
    get count() {
      return all.size;
    },
  };
}

const restarting = (): StreamEnding => ({
  reason: "restarting",
  error: "This process is ending. Connect again with the last id.",
});

function openStream(outgoing: ServerResponse, stallMs: number, now: () => number): OpenStream {
  let open = true;
  /** Since when the reader has taken no bytes, or has not closed after the end; in `now()`. */
  let stuckSince: number | null = null;
  let insteadOfBeat: () => string | undefined = () => undefined;
  const readyListeners: (() => void)[] = [];
  const closeListeners: (() => void)[] = [];
  const write = (frame: string | Buffer) => {
    if (open && !outgoing.write(frame)) stuckSince ??= now();
  };
  const close = () => {
    open = false;
    stuckSince = null;
    for (const closed of closeListeners.splice(0)) closed();
  };
  outgoing.on("drain", () => {
    if (!open) return;
    stuckSince = null;
    for (const ready of readyListeners) ready();
  });
  outgoing.once("close", close);
  outgoing.once("error", close);

  const stream: EventStream = {
    get open() {
      return open;
    },
    get full() {
      return stuckSince !== null;
    },
    write,
    end(ending) {
      if (!open) return;
      open = false;
      stuckSince ??= now();
      outgoing.end(frameOf({ event: "end", data: ending }));
    },
    onBeat(instead) {
      insteadOfBeat = instead;
    },
    onReady: (ready) => void readyListeners.push(ready),
    onClose: (closed) => void closeListeners.push(closed),
  };
  return {
    stream,
    // A reader that does not read needs no heartbeat; it would only be buffered.
    beat: () => stuckSince === null && write(insteadOfBeat() ?? HEARTBEAT),
    look() {
      // Destroys the connection: a response that waits behind another one on it (pipelining) has no socket of its own.
      if (stuckSince !== null && now() - stuckSince > stallMs) outgoing.req.socket.destroy();
    },
  };
}

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
export function positionAfter(lastEventId: string | undefined, after: number | undefined): number | undefined {
  const seen = lastEventId?.trim() ? positionOf(lastEventId.trim()) : undefined;
  return seen === undefined || after === undefined ? (seen ?? after) : Math.max(seen, after);
}

function positionOf(lastEventId: string): number {
  const position = /^(0|[1-9]\d{0,15})$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  return fail("invalid_input", "Last-Event-ID is no id that this stream has given.", {
    details: [{ path: "Last-Event-ID", message: "must be the id of an event" }],
  });
}
