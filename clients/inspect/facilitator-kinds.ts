/** Reads what a facilitator settles (`GET /supported` of the x402 facilitator API). */
import { z } from "zod";
import type { Authorize } from "../facilitator-token.ts";
import { openEgress, type Proxies } from "../http/egress.ts";
import { exchange } from "../http/exchange.ts";
import type { FacilitatorKinds } from "../ports.ts";

const LIMITS = { headersMs: 8_000, bodyMs: 8_000, totalMs: 10_000, maxBytes: 256_000 };

const kind = z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() });
const answer = z.object({ kinds: z.array(z.unknown()) });

/** @param url base URL of the facilitator @throws Error when it does not answer, refuses the key, or answers something else */
export async function facilitatorKinds(
  url: string,
  authorize?: Authorize,
  proxies?: Proxies,
): Promise<FacilitatorKinds> {
  const agent = openEgress({ connectMs: 3_000 }, proxies);
  try {
    const target = new URL(`${url.replace(/(?<!\/)\/+$/, "")}/supported`);
    const headers = {
      accept: "application/json",
      ...(authorize && { authorization: await authorize("GET", target) }),
    };
    const { status, text } = await exchange(agent, { method: "GET", url: target, headers }, LIMITS);
    if (status !== 200) throw new Error(`/supported answered with status ${status}`);
    return answer.parse(JSON.parse(text)).kinds.flatMap((item) => kind.safeParse(item).data ?? []);
  } finally {
    await agent.destroy();
  }
}
