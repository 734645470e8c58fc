/** Discards the rest of a request body after the response, so that the connection stays usable and the client reads the response. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Max milliseconds and bytes; beyond them the connection is closed. */
const MAX_MS = 500;
const MAX_BYTES = 64 * 2 ** 20;

/** Begins when the response is written, unless the whole body has been read by then. */
export function drain(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.readableEnded) return;
  outgoing.once("finish", () => {
    if (!incoming.readableEnded && !incoming.destroyed) discard(incoming);
  });
}

function discard(incoming: IncomingMessage): void {
  let bytes = 0;
  const close = () => {
    clearTimeout(timer);
    incoming.socket.destroySoon();
  };
  const timer = setTimeout(close, MAX_MS);
  timer.unref();
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) close();
  });
  for (const event of ["end", "error", "close"]) incoming.once(event, () => clearTimeout(timer));
  incoming.resume();
}
