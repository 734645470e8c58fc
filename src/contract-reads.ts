/** Contract reads at an event's block, for what events do not carry, and what an unreadable contract means. */
import { BaseError } from "viem";

/** Ways viem says that a contract's answer is not what its ABI promises. */
const UNDECODABLE =
  /^(ContractFunctionZeroData|AbiDecoding|PositionOutOfBounds|InvalidBytesBoolean|SizeOverflow|Slice|RecursiveReadLimit)/;
/** Ways nodes say that a call ended without an answer: nothing but the contract decides that. */
const REFUSED = /revert|invalid (?:opcode|jump)|out ?of ?gas|memory(?:limit)?oog|stack ?(?:over|under)flow/i;

/**
 * The result of a read, or null when the contract itself refused or answered nonsense: another implementation may
 * stand at the address, and an index that stops over it helps nobody. Whatever is the node's fault (no answer, rate
 * limit, internal error) is thrown, so that Ponder retries: an outage must never turn into rows.
 */
export async function readOrNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isContractsAnswer(error)) return null;
    throw error;
  }
}

function isContractsAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  // JSON-RPC code 3 is "execution reverted"; some nodes say it in words under a general code.
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
