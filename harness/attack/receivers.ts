/** Receivers of webhooks: an honest one that takes everything, and on another address those that do what hurts. */
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../listen.ts";

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
  const honest = await listen(async (incoming, outgoing) => {
    const { type, data } = JSON.parse(await text(incoming));
    received.push({ id: String(incoming.headers["webhook-id"]), type, tokenId: data?.tokenId ?? null, at: Date.now() });
    outgoing.writeHead(204).end();
  });
  const others = await listen(
    (incoming, outgoing) => {
      incoming.resume();
      TRICKS[incoming.url!.split("/").at(-1)!]?.(outgoing);
    },
    { address: HOSTILE_ADDRESS },
  );
  return {
    honestUrl: `${honest.url}/hook`,
    /** @param trick one of HOSTILE_TRICKS */
    hostileUrl: (trick: string, name: string) => `${others.url}/${encodeURIComponent(name)}/${trick}`,
    /** In the order of arrival. */
    received,
    close() {
      honest.close();
      others.close();
    },
  };
}
