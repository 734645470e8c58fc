/** The body of a request as bytes: within a limit, and read once for all who need it. */
import type { IncomingMessage } from "node:http";
import { Failure } from "../../core/errors.ts";

/** Largest body accepted, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

const bodies = new WeakMap<IncomingMessage, Promise<Buffer>>();

/**
 * The whole body; empty without one. Stops at the first byte above the limit.
 * @throws Failure payload_too_large, invalid_input
 */
export function bodyBytes(incoming: IncomingMessage): Promise<Buffer> {
  const read = bodies.get(incoming) ?? collect(incoming);
  bodies.set(incoming, read);
  return read;
}

async function collect(incoming: IncomingMessage): Promise<Buffer> {
  if (Number(incoming.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  return new Promise((resolve, reject) => {
    // The client disconnected before or while sending; no client reads the answer.
    const gone = () => reject(new Failure("invalid_input", "The request body ended early."));
    if (incoming.destroyed) return gone();
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = () => {
      incoming.off("data", onData).off("end", onEnd).off("error", onError).off("close", onError);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      settle();
      // The server discards the rest, within bounds, after the answer.
      incoming.pause();
      reject(tooLarge());
    };
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(chunks));
    };
    const onError = () => {
      settle();
      gone();
    };
    incoming.on("data", onData).on("end", onEnd).on("error", onError).on("close", onError);
  });
}

const tooLarge = () =>
  new Failure("payload_too_large", `The request body is larger than ${MAX_BODY_BYTES / 1024} KiB.`);
