/**
 * Reports to the launcher the blocks that Ponder treats as final when it starts. Ponder builds on them and logs no hash of
 * them. A later request can find that the chain has replaced them.
 */
import type { Ask } from "./rpc-types.ts";

/** IPC message with one of those blocks. */
export type FinalizedReport = { finalized: { block: number; hash: string } };

/** Ponder requests only three kinds of block by number and without transactions: its start block, the end of its cache, the finalized block. */
export function reportingFinalized(ask: Ask): Ask {
  return async (method, params) => {
    const result = await ask(method, params);
    if (method === "eth_getBlockByNumber" && String(params[0]).startsWith("0x") && params[1] === false) report(result);
    return result;
  };
}

function report(result: unknown): void {
  const { number, hash } = (result ?? {}) as { number?: unknown; hash?: unknown };
  if (typeof number !== "string" || typeof hash !== "string") return;
  process.send?.({ finalized: { block: Number(number), hash } } satisfies FinalizedReport);
}
