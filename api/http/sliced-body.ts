/** Long answers sent slice by slice, each read when the client has taken the one before: memory has one slice, and a slow client occupies no connection of the database. */
import type { ServerResponse } from "node:http";
import { pipeline, type Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ContentCoding, encoder } from "./content-coding.ts";
import type { Log } from "./error-answer.ts";
import type { StreamContent } from "./event-stream.ts";

export type SliceTimeouts = {
  /** Max milliseconds in which a client takes no bytes before it is disconnected. */
  stallMs: number;
  /** Aborts when the whole answer has taken too long; begins with the answer. */
  total(): AbortSignal;
};

const SLICE_TIMEOUTS: SliceTimeouts = { stallMs: 10_000, total: () => AbortSignal.timeout(60_000) };

/**
 * The slices as the body of an answer. The first one is read before the answer begins, so that a failure is still a
 * status. A later failure closes the connection, and the client sees that the answer is incomplete.
 */
export async function slicedBody(
  slices: AsyncGenerator<string | Uint8Array, void>,
  log: Log,
  timeouts: SliceTimeouts = SLICE_TIMEOUTS,
): Promise<StreamContent> {
  const first = await slices.next();
  return {
    headers: { "cache-control": "no-store" },
    compressible: true,
    stream(outgoing, coding) {
      send(outgoing, coding, first, slices, timeouts).catch((error: Error) => {
        if (!outgoing.destroyed) log.warn({ err: error }, "an answer was cut off in the middle");
        outgoing.req.socket.destroy();
      });
    },
  };
}

async function send(
  outgoing: ServerResponse,
  coding: ContentCoding | undefined,
  first: IteratorResult<string | Uint8Array, void>,
  slices: AsyncGenerator<string | Uint8Array, void>,
  { stallMs, total }: SliceTimeouts,
): Promise<void> {
  if (outgoing.destroyed) return void (await slices.return());
  // Destroys the connection: a response that waits behind another one on it (pipelining) has no socket of its own.
  const cutOff = () => void outgoing.req.socket.destroy();
  const late = total();
  late.addEventListener("abort", cutOff);
  outgoing.once("close", () => late.removeEventListener("abort", cutOff));
  const sink = coding ? encodedTo(outgoing, coding) : outgoing;
  try {
    for (let slice = first; !slice.done; slice = await slices.next()) {
      if (!sink.write(slice.value)) await taken(sink, stallMs, cutOff);
      await nextTurn();
      if (sink.destroyed) return;
    }
    sink.end();
  } finally {
    // What they read from is closed, whether the client took all or not.
    await slices.return();
  }
}

/** Compresses into the response; each is destroyed when the other is. */
function encodedTo(outgoing: ServerResponse, coding: ContentCoding): Writable {
  const sink = encoder(coding);
  pipeline(sink, outgoing, () => {});
  return sink;
}

/** Waits until the client has taken the bytes written, or has disconnected. */
function taken(outgoing: Writable, stallMs: number, cutOff: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed || !outgoing.writableNeedDrain) return resolve();
    const stalled = setTimeout(cutOff, stallMs);
    const done = () => {
      clearTimeout(stalled);
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
  });
}
