/** Contract reads at an event's block, and which of their errors are the contract's answer. */
import { BaseError } from "viem";

/** Names of viem's errors for a response that does not match the ABI. */
const UNDECODABLE =
  /^(ContractFunctionZeroData|AbiDecoding|PositionOutOfBounds|InvalidBytesBoolean|SizeOverflow|Slice|RecursiveReadLimit)/;
/** Nodes' error messages for a call that the contract itself ended without a result. */
const REFUSED = /revert|invalid (?:opcode|jump)|out ?of ?gas|memory(?:limit)?oog|stack ?(?:over|under)flow/i;

/**
 * The result of a read, or null when the contract reverts or returns data that does not match the ABI: the address can
 * have another implementation, and the index must not stop because of it.
 * @throws the errors of the node (no answer, rate limit, internal error), so that Ponder retries: an outage must never
 * change rows
 */
export async function readOrNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isContractError(error)) return null;
    throw error;
  }
}

function isContractError(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  // JSON-RPC code 3 is "execution reverted"; some nodes send that message with a general code.
  const answered = error.walk((cause) => (cause as Error).name === "RpcRequestError") as
    | (BaseError & { code?: number })
    | null;
  if (answered !== null) return answered.code === 3 || REFUSED.test(answered.details);
  const unreachable = error.walk((cause) =>
    /^(HttpRequest|Timeout|WebSocketRequest)Error$/.test((cause as Error).name),
  );
  if (unreachable !== null) return false;
  return error.walk((cause) => UNDECODABLE.test((cause as Error).name)) !== null;
}
