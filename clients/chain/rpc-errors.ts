/** Errors of JSON-RPC nodes: distinguishes a node's error answer from a missing answer. */
import { BaseError, ExecutionRevertedError, RpcRequestError } from "viem";
import { fail } from "../../core/errors.ts";
import type { Hex } from "../../core/facts.ts";

/** JSON-RPC error codes that describe the node and not the request: parse, internal, resource, limits. */
const TROUBLE = new Set([-32700, -32603, -32001, -32002, -32005, -32007, -32601, 429]);

/** Texts of a failed execution; nodes use different codes for it. */
const EXECUTION = /revert|out ?of ?gas|gas required exceeds|invalid opcode|stack (under|over)flow|EVM error (?!Fatal)/i;

/** Whether an error is a revert by the contract; every node would answer the same. */
export const isRevert = (error: Error): boolean =>
  ("code" in error && error.code === 3) || ExecutionRevertedError.nodeMessage.test(error.message);

/** The node's own error; null when no node answered. */
export function rpcError(error: unknown): RpcRequestError | null {
  if (!(error instanceof BaseError)) return null;
  const found = error.walk((e) => e instanceof RpcRequestError);
  return found instanceof RpcRequestError ? found : null;
}

/** Whether the error describes the node and not the request; such an answer is unusable. */
export const isTrouble = (error: RpcRequestError): boolean =>
  TROUBLE.has(error.code) && !isExecutionError(error) && revertData(error.data) === null;

/** Whether the node's text says that the execution failed. */
export const isExecutionError = (error: RpcRequestError): boolean => EXECUTION.test(error.details);

/** @throws Failure upstream_unavailable, always */
export function unreachable(error: unknown): never {
  const cause = error instanceof BaseError ? inBrief(error) : error;
  return fail("upstream_unavailable", "The chain cannot be reached at the moment.", { retryAfter: 5, cause });
}

/**
 * viem's error in short, for the log. Its own message quotes the node's URL, which may hold a key, and the request,
 * which may hold a signature.
 */
function inBrief(error: BaseError): Error {
  const status = "status" in error && error.status !== undefined ? ` (status ${error.status})` : "";
  return new Error(`${error.name}${status}: ${error.shortMessage} ${error.details}`.slice(0, 300));
}

/** Revert data is in `data`, or one level deeper with some nodes; null: there is none. */
export function revertData(data: unknown): Hex | null {
  if (typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) return data as Hex;
  if (data !== null && typeof data === "object" && "data" in data) return revertData(data.data);
  return null;
}
