/**
 * Server-Sent Events: connections that stay open. What is common to all streams is here: headers, limits, heartbeats,
 * readers that do not read, the end of the process. What they carry comes from `event-feed.ts`.
 */
import type { ServerResponse } from "node:http";
import { fail } from "../../core/errors.ts";
import { networkOf } from "./client-network.ts";
import { concurrencyLimit, type ResponseEnd } from "./concurrency-limit.ts";

/** Why a stream ends; told to the reader in its last event. */
export type Ending = { reason: string; error: string } & Record<string, unknown>;

/** One open stream, as whoever feeds it sees it. */
export type EventStream = {
  /** False once it has ended, whoever ended it. */
  readonly open: boolean;
  /** The reader has not taken what was written: write no more before `onReady`. */
  readonly full: boolean;
  /** Writes a frame made by `frameOf`. */
  write(frame: string | Buffer): void;
  /** Ends it after a last event `end` that tells why. */
  end(ending: Ending): void;
  /** Asked when a sign of life is due: what to write in its place, if anything. */
  onBeat(instead: () => string | undefined): void;
  /** Called whenever a full stream has become free again. */
  onReady(ready: () => void): void;
  /** Called once, when it is over. */
  onClose(closed: () => void): void;
};

/** Takes over a response whose head has been written, these headers of its own with it. */
export type StreamContent = { headers: Record<string, string>; stream(outgoing: ServerResponse): void };

export type EventStreams = {
  /**
   * Takes the place of a stream, before anything is read for it; it is given back when the response closes.
   * @returns makes the answer that stays open; `begin` gets the stream once it is
   * @throws Failure rate_limited (this reader has enough of them), overloaded (the process has)
   */
  take(response: ResponseEnd, reader: StreamReader): (begin: (stream: EventStream) => void) => StreamContent;
  /** Ends all of them, for the process ends: their readers are told to come back, not all at the same moment. */
  endAll(): void;
  readonly count: number;
};

/** Whose stream it is: the network address, and the wallet where one has signed in. */
export type StreamReader = { client: string; wallet?: string | undefined };

export type StreamRules = {
  /** Open streams of one network and of one wallet, and of the process; 0 = no limit. */
  perClient: number;
  perProcess: number;
  /** How often every reader is sent a comment, so that neither it nor a proxy takes the silence for a dead line. */
  heartbeatMs?: number;
  /** A reader that takes nothing for this long is dropped. */
  stallMs?: number;
};

/** Headers of every stream. Proxies are asked neither to keep, nor to compress, nor to collect it. */
const STREAM_HEADERS = {
  "cache-control": "private, no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

const RETRY_MS = 2_000;
/** Seconds after which a reader that has too many streams may ask again. */
const RETRY_AFTER = 15;
/** Readers of an ending process come back within so much time, each at a moment of its own. */
const SPREAD_MS = 4_000;
const HEARTBEAT = ": still here\n\n";

/**
 * An event as it goes over the wire (HTML standard, section 9.2). `id` is where a reader goes on from; JSON has no
 * line breaks, so that `data` is one line.
 */
export function frameOf({ id, event, data }: { id?: number | string; event?: string; data: unknown }): string {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** The position that a reader comes back with. @throws Failure invalid_input */
export function positionOf(lastEventId: string): number {
  const position = /^(0|[1-9]\d{0,15})$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  return fail("invalid_input", "Last-Event-ID is no id that this stream has given.", {
    details: [{ path: "Last-Event-ID", message: "must be the id of an event" }],
  });
}

type Open = { stream: EventStream; beat(): void; look(now: number): void };

export function eventStreams(rules: StreamRules): EventStreams {
  const { perClient, perProcess, heartbeatMs = 15_000, stallMs = 30_000 } = rules;
  const all = new Set<Open>();
  const limit = concurrencyLimit({
    what: "event streams",
    perHolder: perClient,
    inAll: perProcess,
    retryAfter: RETRY_AFTER,
  });
  let ending = false;
  let beats: NodeJS.Timeout | undefined;
  let looks: NodeJS.Timeout | undefined;

  function add(opened: Open): void {
    all.add(opened);
    beats ??= setInterval(() => all.forEach((one) => void one.beat()), heartbeatMs);
    looks ??= setInterval(() => all.forEach((one) => void one.look(performance.now())), stallMs / 4);
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
    take(response, { client, wallet }) {
      if (ending) fail("overloaded", "This process is ending. Connect again.", { retryAfter: 1 });
      limit.acquire(response, [networkOf(client), ...(wallet === undefined ? [] : [wallet])]);
      return (begin) => ({
        headers: STREAM_HEADERS,
        stream(outgoing) {
          // The reader has gone while its request was looked at: nothing would ever tell that it has.
          if (outgoing.destroyed) return;
          const opened = openStream(outgoing, stallMs);
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

const restarting = (): Ending => ({
  reason: "restarting",
  error: "This process is ending. Connect again with the last id.",
});

function openStream(outgoing: ServerResponse, stallMs: number): Open {
  let open = true;
  /** Since when the reader has taken nothing of what was written, or has not closed after the end; in `performance.now()`. */
  let stuckSince: number | null = null;
  let insteadOfBeat: () => string | undefined = () => undefined;
  const readyListeners: (() => void)[] = [];
  const closeListeners: (() => void)[] = [];
  const write = (frame: string | Buffer) => {
    if (open && !outgoing.write(frame)) stuckSince ??= performance.now();
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
      stuckSince ??= performance.now();
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
    // Whoever does not read needs no sign of life, and it would only lie there.
    beat: () => stuckSince === null && write(insteadOfBeat() ?? HEARTBEAT),
    look(now) {
      // With its connection: a response that waits behind another on it (pipelining) has none to end by itself.
      if (stuckSince !== null && now - stuckSince > stallMs) outgoing.req.socket.destroy();
    },
  };
}
