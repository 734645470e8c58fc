/** One JSON-RPC node asked alone: no failover, no retries, no learning; the doctor judges each node by its own words. */
import { openEgress, type Proxies } from "../http/egress.ts";
import type { NodeAnswer, NodeProbe } from "../ports.ts";
import { post } from "../rpc/post.ts";

const LIMITS = { timeoutMs: 10_000, maxBytes: 12_000_000 };

/** @param url of the node; the part after `#` is not sent */
export function openNodeProbe(url: string, proxies?: Proxies): NodeProbe & { close(): Promise<void> } {
  const agent = openEgress({ connectMs: 3_000, connections: 8 }, proxies);
  const target = new URL(url);
  target.hash = "";
  return {
    host: target.host,
    async request(method, params): Promise<NodeAnswer> {
      // As the service asks: what signs in by the URL, and what counts as an answer.
      const [reply] = await post(agent, target, [{ method, params }], LIMITS);
      if (reply?.kind === "result") return { ok: true, result: reply.result };
      if (reply?.kind === "error") {
        const { code, message } = reply.error;
        return { ok: false, code, message: message.slice(0, 200) };
      }
      if (reply?.kind === "silence") throw reply.cause;
      throw new Error(
        reply?.kind === "limited" ? "the node refuses for the rate of requests" : "the answer is too large",
      );
    },
    close: () => agent.destroy(),
  };
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
