/** Reads of old state from a node that no longer has it: they fall back on the newest state. */
import { type EIP1193RequestFn, http, type Transport } from "viem";

/** Where the block parameter of a state read stands, and the ways nodes say that the state is gone. */
const BLOCK_PARAMETER: Record<string, number> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1, eth_getStorageAt: 2 };
const GONE = /BlockOutOfRange|missing trie node|historical state|state .{0,40}(pruned|not available|unavailable)/i;

/**
 * A transport for a node without an archive, such as the development chain, which keeps the states of its last blocks
 * only. What the handlers read either never changes after a registration or is read again at every later change, so a
 * re-index that reads the newest state ends in the same rows.
 */
export const prunedNode =
  (url: string): Transport =>
  (options) => {
    const transport = http(url, { retryCount: 0 })(options);
    const request = (async (body: { method: string; params?: unknown[] }) => {
      try {
        return await transport.request(body as never);
      } catch (error) {
        const at = BLOCK_PARAMETER[body.method];
        if (at === undefined || body.params?.[at] === "latest" || !GONE.test(String((error as Error).message)))
          throw error;
        return transport.request({ ...body, params: body.params?.with(at, "latest") } as never);
      }
    }) as EIP1193RequestFn;
    return { ...transport, request };
  };
