/** One JSON-RPC node: asked alone, by its own words, and its limits as the service learns them, through a pool with this node alone. */
import type { Address } from "../../core/agents/facts.ts";
import type { RpcNode } from "../../core/operations/rpc-roles.ts";
import { openEgress, type Proxies } from "../http/egress.ts";
import type { LearnedLimits, NodeAnswer, NodeProbe } from "../ports.ts";
import { openRpcPool } from "../rpc/pool.ts";
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

const BURST_REQUESTS = 60;
/** Blocks of the first eth_getLogs; a node that takes them has no limit that matters. */
const MAX_RANGE_BLOCKS = 10_000;
/** Requests for logs after which the range is known: each refusal halves it, or names it. */
const LOG_REQUESTS = 24;
const POLL_MS = 20;

const hex = (block: number) => `0x${block.toString(16)}`;

/**
 * Sends a burst of small requests and asks for the logs of a wide range; at most 60 + 24 requests.
 * @param address a contract with few logs
 * @throws Failure upstream_unavailable when the node does not answer, or serves another chain
 */
export async function learnLimits(
  { chainId, node, proxies }: { chainId: number; node: RpcNode; proxies?: Proxies | undefined },
  address: Address,
): Promise<LearnedLimits> {
  const pool = openRpcPool({ chainId, nodes: [node], proxies, timeoutMs: 8_000, maxWaitMs: 4_000 });
  const stats = () => pool.stats()[0]!;
  try {
    const head = Number(await pool.request("eth_blockNumber", []));
    const startedAt = performance.now();
    const burst = Array.from({ length: BURST_REQUESTS }, (_, i) =>
      pool.request("eth_getBlockByNumber", [hex(Math.max(0, head - i)), false]).then(
        () => true,
        () => false,
      ),
    );
    const answered = (await Promise.all(burst)).filter(Boolean).length;
    const measuredPerSecond = answered / Math.max(0.001, (performance.now() - startedAt) / 1000);
    const range = { fromBlock: hex(Math.max(0, head - MAX_RANGE_BLOCKS + 1)), toBlock: hex(head) };
    let ended = false;
    const logs = pool.request("eth_getLogs", [{ address, ...range }]).then(
      () => undefined,
      (error: Error) => error,
    );
    void logs.finally(() => {
      ended = true;
    });
    while (!ended && (stats().requests.eth_getLogs ?? 0) < LOG_REQUESTS)
      await new Promise((done) => setTimeout(done, POLL_MS));
    const failure = ended ? await logs : undefined;
    return {
      ...stats(),
      measuredPerSecond,
      asked: Math.min(MAX_RANGE_BLOCKS, head + 1),
      logsFailure: failure?.message,
    };
  } finally {
    pool.close();
  }
}
