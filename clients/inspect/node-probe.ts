/** One JSON-RPC node asked alone: no failover, no retries, no learning; the doctor judges each node by its own words. */
import { openEgress, type Proxies } from "../http/egress.ts";
import { exchange } from "../http/exchange.ts";
import type { NodeAnswer, NodeProbe } from "../ports.ts";

const LIMITS = { headersMs: 8_000, bodyMs: 8_000, totalMs: 10_000, maxBytes: 12_000_000 };

/** @param url of the node; the part after `#` is not sent */
export function openNodeProbe(url: string, proxies?: Proxies): NodeProbe & { close(): Promise<void> } {
  const agent = openEgress({ connectMs: 3_000, connections: 8 }, proxies);
  const target = new URL(url);
  target.hash = "";
  return {
    host: target.host,
    async request(method, params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const { status, text } = await exchange(agent, { method: "POST", url: target, headers, body }, LIMITS);
      return answerOf(status, text);
    },
    close: () => agent.destroy(),
  };
}

/** Reads an answer. @throws Error when it is no JSON-RPC */
function answerOf(status: number, text: string): NodeAnswer {
  let answer: { result?: unknown; error?: { code?: unknown; message?: unknown } | string } | null;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`HTTP status ${status} without JSON`);
  }
  const refusal = answer?.error;
  if (refusal !== undefined && refusal !== null) {
    const { code, message } = typeof refusal === "object" ? refusal : { code: 0, message: refusal };
    return { ok: false, code: Number(code) || 0, message: String(message ?? "").slice(0, 200) };
  }
  if (status !== 200 || typeof answer !== "object" || answer?.result === undefined)
    throw new Error(`HTTP status ${status} without a result`);
  return { ok: true, result: answer.result };
}

/** Asks a WebSocket node for its chain id. @throws Error when it gives no answer within 5 s */
export function chainIdOverWebSocket(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const timer = setTimeout(() => end(new Error("no answer within 5 s")), 5_000);
    const end = (outcome: Error | number) => {
      clearTimeout(timer);
      socket.close();
      if (typeof outcome === "number") resolve(outcome);
      else reject(outcome);
    };
    socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }));
    socket.onerror = () => end(new Error("the connection failed"));
    socket.onmessage = ({ data }) => {
      try {
        end(Number((JSON.parse(String(data)) as { result: string }).result));
      } catch (error) {
        end(error as Error);
      }
    };
  });
}
