/** What Ponder asks for and no node has: the logs of a block that a reorganisation removed, and old state. */
import { faultOf, RpcRequestError } from "../../clients/rpc/errors.ts";
import type { Ask } from "./rpc-types.ts";

/** Milliseconds after which an unknown block counts as removed: one of several nodes may lag and know it soon. */
const REMOVED_AFTER_MS = 2_000;

/**
 * Gives up a block that a reorganisation removes before Ponder has its logs. Ponder requests them for over a minute
 * and handles no other block meanwhile. After this error it continues with the next head and detects the reorganisation
 * itself.
 * The block is not on the chain any more: the request must not be repeated.
 */
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

/** Index of the block parameter by method. */
const BLOCK_PARAMETER: Record<string, number> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getStorageAt: 2 };
/** Blocks below the head from which a missing block's state is a pruned one; nearer, one of several backends may lag. */
const SETTLED_BLOCKS = 32;

/**
 * Reads the newest state where no node has the one of a block, such as the development chain, which has the states of its
 * last blocks only. What the handlers read either never changes after a registration or is read again at every later
 * change, so a re-index ends in the same rows. Blocks up to one whose state was missing are not tried again:
 * a node without an archive has none of them.
 * @param onMissing called once, with the first block whose state no node has
 */
export function withNewestState(ask: Ask, onMissing: (block: number) => void = () => {}): Ask {
  let missingTo = -1;
  return async (method, params) => {
    const index = BLOCK_PARAMETER[method];
    const block = index === undefined ? null : numberOf(params[index]);
    if (index === undefined || block === null) return ask(method, params);
    const newest = () => ask(method, params.with(index, "latest"));
    if (block <= missingTo) return newest();
    try {
      return await ask(method, params);
    } catch (error) {
      if (!(await isMissing(error, block))) throw error;
      if (missingTo === -1) onMissing(block);
      missingTo = Math.max(missingTo, block);
      return newest();
    }

    async function isMissing(error: unknown, block: number): Promise<boolean> {
      if (!(error instanceof RpcRequestError)) return false;
      const fault = faultOf(method, { code: error.code, message: error.details, data: error.data });
      if (fault === "state") return true;
      // Some nodes have the same words for a state that they do not keep and for a block that they do not have yet.
      return fault === "block" && block <= Number(await ask("eth_blockNumber", [])) - SETTLED_BLOCKS;
    }
  };
}

const numberOf = (block: unknown): number | null =>
  typeof block === "string" && block.startsWith("0x") && block.length < 20 ? Number(block) : null;
