/**
 * Preloaded into the Ponder process: it lets go of a block that a reorganisation takes away before it has got its logs.
 * Ponder asks for them for two minutes and looks at no other block meanwhile; told that they are not to be found, it
 * goes on with the next head, and finds the reorganisation by itself.
 */
import { again, errorOf, listen } from "./rpc-interceptor.ts";

const LOGS_OF_BLOCK = /"method":"eth_getLogs","params":\[\{"blockHash":"(0x[0-9a-f]{64})"/;
/** How geth, reth, erigon, nethermind and anvil say that they know no such block. */
const UNKNOWN =
  /unknown block|(block|header)[^"]{0,90} not found|not found[^"]{0,40} (block|header)|missing (block|header)/i;

/** One of several nodes may be behind and know the block in a moment; what it still does not know then is gone. */
const PATIENCE_MS = 2_000;

/** Since when a block is not known, by its hash; monotonic milliseconds. */
const unknownSince = new Map<string, number>();

listen(LOGS_OF_BLOCK, async ({ asked: [, hash], response }) => {
  const text = await response.text();
  if (!UNKNOWN.test(errorOf(text))) {
    unknownSince.delete(hash!);
    return again(text, response);
  }
  const now = performance.now();
  const since = unknownSince.get(hash!) ?? now;
  unknownSince.set(hash!, since);
  if (now - since < PATIENCE_MS) return again(text, response);
  unknownSince.delete(hash!);
  // The one answer after which Ponder does not ask again.
  return new Response("The block is not on the chain any more.", { status: 404 });
});
