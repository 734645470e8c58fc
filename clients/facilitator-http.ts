/** A facilitator behind a URL (x402 facilitator API, version 2): one attempt per request, with limits and without redirects. */
import type { Authorize } from "./facilitator-token.ts";
import { readOutcome, readVerdict, toWire } from "./facilitator-wire.ts";
import { openEgress, type Proxies } from "./http/egress.ts";
import { exchange } from "./http/exchange.ts";
import type { Facilitator, PaymentOrder, UpstreamMeter } from "./ports.ts";

export type FacilitatorOptions = {
  /** Base URL of `/verify` and `/settle`. */
  url: string;
  /** Makes the Authorization header of a request, for facilitators that require one. */
  authorize?: Authorize | undefined;
  /** Max milliseconds of one request. A settlement waits for a block. */
  timeoutMs: number;
  /** Undefined: it is dialled directly. */
  proxies?: Proxies | undefined;
  meter?: UpstreamMeter | undefined;
};

const CONNECT_MS = 3_000;
const MAX_BYTES = 64_000;

export function createHttpFacilitator(options: FacilitatorOptions): Facilitator & { close(): Promise<void> } {
  const { url, authorize, timeoutMs, proxies, meter } = options;
  const agent = openEgress({ connectMs: CONNECT_MS, connections: 16 }, proxies);
  const base = url.replace(/(?<!\/)\/+$/, "");

  /** @throws unless the answer is JSON with status 200, or 400, which some facilitators use for refusals */
  async function ask(question: "verify" | "settle", order: PaymentOrder): Promise<unknown> {
    const startedAt = performance.now();
    let outcome: "answered" | "trouble" = "trouble";
    try {
      const answer = await askOnce(question, order);
      outcome = "answered";
      return answer;
    } finally {
      meter?.asked("facilitator", outcome, performance.now() - startedAt);
    }
  }

  async function askOnce(question: "verify" | "settle", order: PaymentOrder): Promise<unknown> {
    const { payload, requirements } = toWire(order);
    const target = new URL(`${base}/${question}`);
    const { status, text } = await exchange(
      agent,
      {
        method: "POST",
        url: target,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(authorize && { authorization: await authorize("POST", target) }),
        },
        body: JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements: requirements }),
      },
      { headersMs: timeoutMs, bodyMs: timeoutMs, totalMs: timeoutMs, maxBytes: MAX_BYTES },
    );
    if (status !== 200 && status !== 400) throw new Error(`the facilitator answered with status ${status}`);
    return JSON.parse(text);
  }

  return {
    verify: (order) => ask("verify", order).then(readVerdict, (cause) => ({ kind: "unknown", cause })),
    settle: (order) => ask("settle", order).then(readOutcome, (cause) => ({ kind: "unknown", cause })),
    close: () => agent.destroy(),
  };
}
