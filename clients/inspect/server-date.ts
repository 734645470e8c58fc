/** Reads the clock of an HTTP server from its Date header (RFC 9110, section 6.6.1). */
import { openEgress, type Proxies } from "../http/egress.ts";
import { exchange } from "../http/exchange.ts";
import type { ServerDate } from "../ports.ts";

const LIMITS = { headersMs: 5_000, bodyMs: 5_000, totalMs: 6_000, maxBytes: 1_000_000 };

/** @throws Error when there is no answer, or none with a date */
export async function serverDate(
  url: string,
  { now = Date.now, proxies }: { now?: () => number; proxies?: Proxies | undefined } = {},
): Promise<ServerDate> {
  const agent = openEgress({ connectMs: 3_000 }, proxies);
  try {
    const sentAt = now();
    const request = { method: "GET" as const, url: new URL(url), headers: {}, headOnly: true };
    const { headers } = await exchange(agent, request, LIMITS);
    const receivedAt = now();
    const at = Date.parse(headers.date ?? "");
    if (Number.isNaN(at)) throw new Error("the answer has no Date header");
    return { at, sentAt, receivedAt };
  } finally {
    await agent.destroy();
  }
}
