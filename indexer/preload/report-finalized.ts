/**
 * Preloaded into the Ponder process: tells the launcher which blocks Ponder takes as final when it starts. It builds on
 * them and says no hash; asked for later, the chain may have put others in their place.
 */
import { again, listen } from "./rpc-interceptor.ts";

/** One of those blocks, as it is told. */
export type TakenAsFinal = { takenAsFinal: { block: number; hash: string } };

/** Where it starts, where its cache ends, and what is final: nothing else is asked for like this, and never in bulk. */
const BY_NUMBER = /"method":"eth_getBlockByNumber","params":\["0x[0-9a-f]+",false\]/;

listen(BY_NUMBER, async ({ response }) => {
  const text = await response.text();
  tell(text);
  return again(text, response);
});

function tell(answer: string): void {
  let block: { number?: unknown; hash?: unknown } | null | undefined;
  try {
    block = JSON.parse(answer).result;
  } catch {
    // Ponder will say so.
    return;
  }
  if (typeof block?.number !== "string" || typeof block.hash !== "string") return;
  process.send?.({ takenAsFinal: { block: Number(block.number), hash: block.hash } } satisfies TakenAsFinal);
}
