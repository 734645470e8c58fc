/** Which role a JSON-RPC request needs, and the blocks that it names. */
import type { RpcRole } from "../../core/operations/rpc-roles.ts";
import type { RpcCall } from "./post.ts";

/** Index of the block parameter of the methods that read a state. */
const STATE_READS: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};
const NAMED_BLOCKS = new Set(["latest", "pending", "safe", "finalized"]);

export function roleOf({ method, params }: RpcCall): RpcRole {
  if (method === "eth_getLogs") return "blockHash" in filterOf(params) ? "head" : "logs";
  const index = STATE_READS[method];
  if (index === undefined) return "head";
  const block = params[index];
  return block === undefined || block === null || NAMED_BLOCKS.has(String(block)) ? "head" : "archive";
}

export type LogFilter = {
  fromBlock?: unknown;
  toBlock?: unknown;
  blockHash?: unknown;
  address?: unknown;
  topics?: unknown;
};

/** The filter of an eth_getLogs. */
export const filterOf = (params: readonly unknown[]): LogFilter => (params[0] ?? {}) as LogFilter;

/** A block parameter as a number; null for a name such as `latest`. */
export function blockNumber(value: unknown): number | null {
  if (value === "earliest") return 0;
  return typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : null;
}

export const toQuantity = (value: number): string => `0x${value.toString(16)}`;

/** The newest block that an answer names; null when it names none. */
export function headIn({ method, params }: RpcCall, result: unknown): number | null {
  if (method === "eth_blockNumber") return blockNumber(result);
  if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return null;
  return blockNumber((result as { number?: unknown } | null)?.number);
}

/** Whether a request reads the logs of a range of blocks. */
export const readsRange = ({ method, params }: RpcCall): boolean =>
  method === "eth_getLogs" && !("blockHash" in filterOf(params));

/**
 * The number of blocks of an eth_getLogs; null when it is unknown.
 * @param head newest block, if known, for a range that ends at a block's name
 */
export function blocksOf({ method, params }: RpcCall, head: number | null): number | null {
  if (method !== "eth_getLogs") return null;
  const { fromBlock, toBlock } = filterOf(params);
  const [from, to] = [blockNumber(fromBlock), blockNumber(toBlock) ?? head];
  return from === null || to === null ? null : Math.max(1, to - from + 1);
}

/** The gas of an execution; null when it names none. */
export function gasOf({ method, params }: RpcCall): number | null {
  if (method !== "eth_call" && method !== "eth_estimateGas") return null;
  const { gas } = (params[0] ?? {}) as { gas?: unknown };
  return blockNumber(gas);
}

export const withGas = ({ method, params }: RpcCall, gas: number): RpcCall => ({
  method,
  params: [{ ...(params[0] as object), gas: toQuantity(gas) }, ...params.slice(1)],
});
