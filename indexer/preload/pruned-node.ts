/**
 * Preloaded into the Ponder process where the node has no archive, such as the development chain, which keeps the states
 * of its last blocks only: reads of a missing state use the newest one. What the handlers read either never
 * changes after a registration or is read again at every later change, so a re-index ends in the same rows.
 */
import { errorOf, intercept, withBody } from "./rpc-interceptor.ts";

const STATE_READ = /"method":"(eth_call|eth_getBalance|eth_getCode|eth_getStorageAt)"/;
/** Index of the block parameter by method. */
const BLOCK_PARAMETER: Record<string, number> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getStorageAt: 2 };
/** Error messages of nodes for a state that they do not keep. */
const MISSING_STATE =
  /BlockOutOfRange|missing trie node|historical state|state .{0,40}(pruned|not available|unavailable)/i;

intercept(STATE_READ, async ({ match: [, method], body, response, resend }) => {
  const text = await response.text();
  if (!MISSING_STATE.test(errorOf(text))) return withBody(text, response);
  const request = JSON.parse(body) as { params?: unknown[] };
  const at = BLOCK_PARAMETER[method!]!;
  if (request.params?.[at] === undefined || request.params[at] === "latest") return withBody(text, response);
  return resend(JSON.stringify({ ...request, params: request.params.with(at, "latest") }));
});
