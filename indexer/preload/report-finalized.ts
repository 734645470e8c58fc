/**
 * Preloaded into the Ponder process: it reports to the launcher the blocks that Ponder treats as final when it starts.
 * Ponder builds on them and logs no hash of them. A later request can find that the chain has replaced them.
 */
import { intercept, withBody } from "./rpc-interceptor.ts";

/** IPC message with one of those blocks. */
export type FinalizedReport = { finalized: { block: number; hash: string } };

/** Ponder requests only three kinds of block this way: its start block, the end of its cache, the finalized block. */
const BY_NUMBER = /"method":"eth_getBlockByNumber","params":\["0x[0-9a-f]+",false\]/;

intercept(BY_NUMBER, async ({ response }) => {
  const text = await response.text();
  report(text);
  return withBody(text, response);
});

function report(response: string): void {
  let block: { number?: unknown; hash?: unknown } | null | undefined;
  try {
    block = JSON.parse(response).result;
  } catch {
    // Ponder reports the invalid response itself.
    return;
  }
  if (typeof block?.number !== "string" || typeof block.hash !== "string") return;
  process.send?.({ finalized: { block: Number(block.number), hash: block.hash } } satisfies FinalizedReport);
}
