/**
 * Preloaded into the Ponder process where the node has no archive, such as the development chain, which keeps the states
 * of its last blocks only: reads of a state that is gone fall back on the newest one. What the handlers read either
 * never changes after a registration or is read again at every later change, so a re-index ends in the same rows.
 */
import { again, errorOf, listen } from "./rpc-interceptor.ts";

const STATE_READ = /"method":"(eth_call|eth_getBalance|eth_getCode|eth_getStorageAt)"/;
/** Where the block parameter of a read of state stands. */
const BLOCK_PARAMETER: Record<string, number> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getStorageAt: 2 };
/** The ways nodes say that the state is gone. */
const GONE = /BlockOutOfRange|missing trie node|historical state|state .{0,40}(pruned|not available|unavailable)/i;

listen(STATE_READ, async ({ asked: [, method], body, response, ask }) => {
  const text = await response.text();
  if (!GONE.test(errorOf(text))) return again(text, response);
  const request = JSON.parse(body) as { params?: unknown[] };
  const at = BLOCK_PARAMETER[method!]!;
  if (request.params?.[at] === undefined || request.params[at] === "latest") return again(text, response);
  return ask(JSON.stringify({ ...request, params: request.params.with(at, "latest") }));
});
