/** Receivers of webhooks: an honest one that takes everything, and on another address those that do what hurts. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { KEPT_ALIVE } from "../patience.ts";

const HOSTILE_ADDRESS = "127.0.0.2";
const DRIP_MS = 500;
const HUGE_BYTES = 8 * 2 ** 20;

/** What a hostile receiver does, by the last part of its path. */
const TRICKS: Record<string, (outgoing: ServerResponse) => void> = {
  /** Takes the request and never answers. */
  hang: () => {},
  /** A byte at a time. */
  drip(outgoing) {
    outgoing.writeHead(200);
    const timer = setInterval(() => outgoing.write("."), DRIP_MS);
    outgoing.once("close", () => clearInterval(timer));
  },
  fail: (outgoing) => void outgoing.writeHead(500).end(),
  later: (outgoing) => void outgoing.writeHead(503, { "retry-after": "900" }).end(),
  around: (outgoing) => void outgoing.writeHead(307, { location: "around" }).end(),
  huge: (outgoing) => void outgoing.writeHead(200).end(Buffer.alloc(HUGE_BYTES, "x")),
  reset: (outgoing) => void outgoing.destroy(),
};
export const HOSTILE_TRICKS = Object.keys(TRICKS);

/** Of what an honest receiver was sent. */
type Received = { id: string; type: string; tokenId: number | null; at: number };

export async function startReceivers() {
  const received: Received[] = [];
  let hostile = 0;
  const honest = await listen("127.0.0.1", async (incoming, outgoing) => {
    const { type, data } = JSON.parse(await text(incoming));
    received.push({ id: String(incoming.headers["webhook-id"]), type, tokenId: data?.tokenId ?? null, at: Date.now() });
    outgoing.writeHead(204).end();
  });
  const others = await listen(HOSTILE_ADDRESS, (incoming, outgoing) => {
    hostile++;
    TRICKS[incoming.url!.split("/").at(-1)!]?.(outgoing);
  });
  return {
    honestUrl: `http://127.0.0.1:${portOf(honest)}/hook`,
    /** @param trick one of HOSTILE_TRICKS */
    hostileUrl: (trick: string, name: string) =>
      `http://${HOSTILE_ADDRESS}:${portOf(others)}/${encodeURIComponent(name)}/${trick}`,
    /** In the order of arrival. */
    received,
    hostileRequests: () => hostile,
    async close() {
      for (const server of [honest, others]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

async function listen(
  address: string,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): Promise<Server> {
  const server = createServer(KEPT_ALIVE, (incoming, outgoing) => {
    incoming.on("error", () => {});
    outgoing.on("error", () => {});
    incoming.resume();
    Promise.resolve(answer(incoming, outgoing)).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, address), "listening");
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
