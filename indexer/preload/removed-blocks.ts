/**
 * Gives up a block that a reorganisation removes before Ponder has its logs. Ponder requests them for over a minute
 * and handles no other block meanwhile. After this error it continues with the next head and detects the reorganisation
 * itself.
 */
import { faultOf, RpcRequestError } from "../../clients/rpc/errors.ts";
import type { Ask } from "./rpc-types.ts";

/** Milliseconds after which an unknown block counts as removed: one of several nodes may lag and know it soon. */
const REMOVED_AFTER_MS = 2_000;

/** The block is not on the chain any more: the request must not be repeated. */
export class BlockRemoved extends Error {}

/**
 * @param clock monotonic milliseconds
 * @throws BlockRemoved for the logs of a block that is unknown for 2 s
 */
export function withoutRemovedBlocks(ask: Ask, clock = () => performance.now()): Ask {
  /** Time of the first error by block hash; monotonic milliseconds. */
  const unknownSince = new Map<string, number>();
  return async (method, params) => {
    const hash = method === "eth_getLogs" ? (params[0] as { blockHash?: string }).blockHash : undefined;
    if (hash === undefined) return ask(method, params);
    try {
      const logs = await ask(method, params);
      unknownSince.delete(hash);
      return logs;
    } catch (error) {
      if (!isUnknownBlock(error)) {
        unknownSince.delete(hash);
        throw error;
      }
      const now = clock();
      const since = unknownSince.get(hash) ?? now;
      unknownSince.set(hash, since);
      if (now - since < REMOVED_AFTER_MS) throw error;
      unknownSince.delete(hash);
      throw new BlockRemoved("The block is not on the chain any more.", { cause: error });
    }
  };
}

const isUnknownBlock = (error: unknown): boolean =>
  error instanceof RpcRequestError &&
  faultOf("eth_getLogs", { code: error.code, message: error.details, data: error.data }) === "block";
