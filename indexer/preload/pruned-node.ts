/**
 * Ponder's reads of old state on nodes that keep none, such as the development chain, which has the states of its last
 * blocks only: they read the newest state. What the handlers read either never changes after a registration or is read
 * again at every later change, so a re-index ends in the same rows.
 */
import { faultOf, RpcRequestError } from "../../clients/rpc/errors.ts";
import type { Ask } from "./rpc-types.ts";

/** Index of the block parameter by method. */
const BLOCK_PARAMETER: Record<string, number> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getStorageAt: 2 };
/** Blocks below the head from which a missing block's state is a pruned one; nearer, one of several backends may lag. */
const SETTLED_BLOCKS = 32;

/**
 * Reads the newest state where no node has the one of a block. Blocks up to one whose state was missing are not tried again:
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
