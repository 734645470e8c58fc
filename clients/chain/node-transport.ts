/** The transport to one JSON-RPC node. The node's chain id is checked before any other request. */
import { createTransport, http, type Transport } from "viem";
import type { UpstreamMeter } from "../ports.ts";
import { rpcError } from "./rpc-errors.ts";
import { toNumber } from "./wire.ts";

/**
 * One node of the chain `id`. It sends eth_chainId first, and again after a wrong or no answer.
 * @param timeoutMs max time of one request
 */
export function nodeTransport(id: number, url: string, timeoutMs: number, meter: UpstreamMeter | undefined): Transport {
  // Only the host: paths and queries hold API keys of providers.
  const upstream = `rpc ${new URL(url).host}`;
  return (options) => {
    const node = http(url, { timeout: timeoutMs, retryCount: 1, retryDelay: 100, batch: { wait: 0 } })(options);
    let checked: Promise<void> | undefined;
    const check = async () => {
      try {
        const answer = toNumber(await node.request({ method: "eth_chainId" }));
        if (answer !== id) throw new Error(`a node configured for chain ${id} is on chain ${answer}`);
      } catch (error) {
        checked = undefined;
        throw error;
      }
    };
    return createTransport({
      ...node.config,
      retryCount: 0,
      async request(args) {
        const startedAt = performance.now();
        let answered = false;
        try {
          checked ??= check();
          await checked;
          const answer = (await node.request(args as never)) as never;
          answered = true;
          return answer;
        } catch (error) {
          answered = rpcError(error) !== null;
          throw error;
        } finally {
          meter?.asked(upstream, answered ? "answered" : "trouble", performance.now() - startedAt);
        }
      },
    });
  };
}
