/** Requests to the nodes of one chain, each in a span, with classified errors. */
import pLimit from "p-limit";
import type { Hex } from "../../core/agents/facts.ts";
import { span } from "../../runtime/tracing.ts";
import type { Revert } from "../ports.ts";
import { isExecutionError, RpcRequestError, revertData, unreachable } from "../rpc/errors.ts";
import type { RpcPool } from "../rpc/pool.ts";
import { toBigInt } from "./wire.ts";

/** Max concurrent executions of untrusted code; further ones are queued, so that the node stays free for other requests. */
const STRANGERS_IN_FLIGHT = 8;

export type Rpc = {
  /**
   * One request.
   * @throws RpcRequestError the node's own error about the request
   * @throws Failure upstream_unavailable when no node gave a usable answer
   */
  request(method: string, params: unknown[]): Promise<unknown>;
  /** One request whose every error is trouble of the node. @throws Failure upstream_unavailable */
  ask<T>(method: string, params: unknown[]): Promise<T>;
  /** `ask` for a hexadecimal quantity. */
  quantity(method: string, params: unknown[]): Promise<bigint>;
  /** One execution (eth_call, eth_estimateGas); a revert is a value. @throws Failure upstream_unavailable */
  execute(method: string, params: unknown[]): Promise<{ ok: true; answer: unknown } | Revert>;
  /** Runs `work` that executes untrusted contract code, at most 8 at a time. */
  limited<T>(work: () => Promise<T>): Promise<T>;
};

/** Creates the requests over a pool of nodes. */
export function createRpc(pool: Pick<RpcPool, "request">): Rpc {
  const rpc: Rpc = {
    request: (method, params) =>
      span(`rpc ${method}`, { kind: "client", attributes: { "rpc.system.name": "jsonrpc" } }, () =>
        pool.request(method, params),
      ),
    async ask<T>(method: string, params: unknown[]) {
      try {
        return (await rpc.request(method, params)) as T;
      } catch (error) {
        if (error instanceof RpcRequestError) return unreachable(error);
        throw error;
      }
    },
    quantity: async (method, params) => toBigInt(await rpc.ask<Hex>(method, params)),
    async execute(method, params) {
      try {
        return { ok: true, answer: await rpc.request(method, params) };
      } catch (error) {
        if (!(error instanceof RpcRequestError)) throw error;
        const data = revertData(error.data);
        if (data === null && !isExecutionError(error)) return unreachable(error);
        return { ok: false, data, reason: error.details };
      }
    },
    limited: pLimit(STRANGERS_IN_FLIGHT),
  };
  return rpc;
}
