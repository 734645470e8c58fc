/**
 * Preloaded into the Ponder process: it gives up a block that a reorganisation removes before Ponder has its
 * logs. Ponder requests them for two minutes and handles no other block meanwhile. After a 404 it continues with the next
 * head and detects the reorganisation by itself.
 */
import { errorOf, intercept, withBody } from "./rpc-interceptor.ts";

const LOGS_OF_BLOCK = /"method":"eth_getLogs","params":\[\{"blockHash":"(0x[0-9a-f]{64})"/;
/** Error messages of geth, reth, erigon, nethermind and anvil for a block that they do not know. */
const UNKNOWN =
  /unknown block|(block|header)[^"]{0,90} not found|not found[^"]{0,40} (block|header)|missing (block|header)/i;

/** Milliseconds after which an unknown block counts as removed: one of several nodes may lag and know it soon. */
const REMOVED_AFTER_MS = 2_000;

/** Time of the first error by block hash; monotonic milliseconds. */
const unknownSince = new Map<string, number>();

intercept(LOGS_OF_BLOCK, async ({ match: [, hash], response }) => {
  const text = await response.text();
  if (!UNKNOWN.test(errorOf(text))) {
    unknownSince.delete(hash!);
    return withBody(text, response);
  }
  const now = performance.now();
  const since = unknownSince.get(hash!) ?? now;
  unknownSince.set(hash!, since);
  if (now - since < REMOVED_AFTER_MS) return withBody(text, response);
  unknownSince.delete(hash!);
  // The only response after which Ponder does not repeat the request.
  return new Response("The block is not on the chain any more.", { status: 404 });
});
