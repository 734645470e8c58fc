/** Small HTTP servers of tests and harnesses, on free ports of the loopback network. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { KEPT_ALIVE } from "./patience.ts";

export type LoopbackServer = { url: string; port: number; server: Server; close(): void };

/** @param address of the loopback network: each is a host of its own */
export async function listen(
  answer: RequestListener,
  { address = "127.0.0.1", port = 0, ...options }: { address?: string; port?: number } & ServerOptions = {},
): Promise<LoopbackServer> {
  const server = createServer({ ...KEPT_ALIVE, ...options }, (incoming, outgoing) => {
    // A client that has left gets no answer.
    outgoing.on("error", () => {});
    return answer(incoming, outgoing);
  });
  await once(server.listen(port, address), "listening");
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${address}:${bound}`,
    port: bound,
    server,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
