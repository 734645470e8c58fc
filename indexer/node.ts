/** The launcher's own reads of the chain, independent of Ponder: head, block hashes and chain id over plain JSON-RPC. */

/** Max milliseconds for one request. */
const TIMEOUT_MS = 5_000;

/** The node did not answer, or answered with an error: nothing is known about the chain, try again later. */
export class NodeUnavailable extends Error {}

/** A block with its hash and time. `at` is Unix seconds. */
export type BlockId = { block: number; hash: string; at: number };

export type Node = {
  head(): Promise<BlockId>;
  /** Null when the node does not have the block (yet). */
  blockAt(block: number): Promise<BlockId | null>;
};

/** Reads the chain id of every URL. @returns the id or the error of each */
export async function chainIds(urls: string[]): Promise<{ url: string; chainId?: number; error?: string }[]> {
  return Promise.all(
    urls.map(async (url) => {
      try {
        return { url, chainId: Number(await call(url, "eth_chainId", [])) };
      } catch (error) {
        return { url, error: (error as Error).message };
      }
    }),
  );
}

/** A node behind several URLs: each call tries them in order and returns the first answer. */
export function connectNode(urls: string[]): Node {
  const request = async (method: string, params: unknown[]) => {
    let failure: unknown;
    for (const url of urls) {
      try {
        return await call(url, method, params);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  const blockId = (raw: unknown): BlockId | null => {
    if (raw === null) return null;
    const { number, hash, timestamp } = raw as { number: string; hash: string; timestamp: string };
    return { block: Number(number), hash, at: Number(timestamp) };
  };
  return {
    async head() {
      const head = blockId(await request("eth_getBlockByNumber", ["latest", false]));
      if (head === null) throw new NodeUnavailable("the node has no latest block");
      return head;
    },
    async blockAt(block) {
      return blockId(await request("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]));
    },
  };
}

async function call(url: string, method: string, params: unknown[]): Promise<unknown> {
  let answer: { result?: unknown; error?: { message?: string } };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    answer = (await response.json()) as typeof answer;
  } catch (error) {
    throw new NodeUnavailable(`${hostOf(url)} ${method}: ${(error as Error).message}`, { cause: error });
  }
  if (answer.result === undefined)
    throw new NodeUnavailable(`${hostOf(url)} ${method}: ${answer.error?.message ?? "no result"}`);
  return answer.result;
}

/** The part of a URL that logs may contain: paths and queries can contain API keys of providers. */
const hostOf = (url: string) => new URL(url).host;
