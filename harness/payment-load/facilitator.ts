/** A facilitator behind a URL that really settles, and fails as facilitators do: silent, late, down, talking rubbish, lying. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Facilitator, PaymentOrder } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { listen } from "../listen.ts";
import type { FacilitatorMode } from "./plan.ts";

export type TroubledFacilitator = Awaited<ReturnType<typeof startTroubledFacilitator>>;

/** Longer than anybody waits for it. */
const SLOW_MS = 4_000;
const lower = (text: string) => text.toLowerCase() as Hex;

type Asked = {
  paymentPayload: {
    payload: {
      authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
      signature: Hex;
    };
    resource?: { url: string };
  };
  paymentRequirements: { asset: string; network: string; extra: { name: string; version: string } };
};

/** The order in a request to `/verify` or `/settle`. */
function readOrder({ paymentPayload, paymentRequirements }: Asked): PaymentOrder {
  const { authorization: a, signature } = paymentPayload.payload;
  const { asset, network, extra } = paymentRequirements;
  return {
    authorization: {
      from: lower(a.from),
      to: lower(a.to),
      value: BigInt(a.value),
      validAfter: BigInt(a.validAfter),
      validBefore: BigInt(a.validBefore),
      nonce: lower(a.nonce),
    },
    signature,
    token: { address: lower(asset), name: extra.name, version: extra.version, chainId: Number(network.split(":")[1]) },
    maxTimeoutSeconds: 300,
    resourceUrl: paymentPayload.resource?.url ?? "",
  };
}

/** @param real settles; a new one for each start of the facilitator */
export async function startTroubledFacilitator(real: Facilitator) {
  let busy = 0;
  const server = await listen((incoming, outgoing) => {
    busy++;
    void serve(incoming, outgoing)
      .catch(() => incoming.socket.destroy())
      .finally(() => busy--);
  });
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = await text(incoming);
    const { mode } = facilitator;
    if (mode === "down") return void incoming.socket.destroy();
    if (mode === "rubbish") return void outgoing.end("<html>Sign in</html>");
    const order = readOrder(JSON.parse(asked));
    const answer = (body: object) => {
      if (mode === "lost") return void incoming.socket.destroy();
      if (mode === "slow") return void setTimeout(() => outgoing.end(JSON.stringify(body)), SLOW_MS);
      outgoing.end(JSON.stringify(body));
    };
    const network = `eip155:${order.token.chainId}`;
    if (incoming.url === "/verify") {
      const verdict = await real.verify(order);
      if (verdict.kind === "unknown") return void outgoing.writeHead(500).end("{}");
      return answer({
        isValid: verdict.kind === "good",
        invalidReason: "reason" in verdict ? verdict.reason : undefined,
      });
    }
    if (mode === "liar") return answer({ success: true, transaction: `0x${"1e".repeat(32)}`, network });
    const { nonce } = order.authorization;
    const hook = facilitator.before.get(nonce);
    facilitator.before.delete(nonce);
    await hook?.().catch(() => {});
    const outcome = await real.settle(order);
    if (outcome.kind === "unknown") return void outgoing.writeHead(500).end("{}");
    if (outcome.kind === "settled") return answer({ success: true, transaction: outcome.txHash, network });
    answer({ success: false, transaction: "", network, errorReason: outcome.reason });
  }
  const facilitator = {
    url: server.url,
    mode: null as FacilitatorMode | null,
    /** What happens right before the authorization of this number is settled, once. */
    before: new Map<Hex, () => Promise<unknown>>(),
    /** Requests in hand: each may still bring an authorization onto the chain. */
    get busy() {
      return busy;
    },
    close: server.close,
  };
  return facilitator;
}
