/** The launcher's own look at the chain, independent of Ponder's: head, hashes, chain id, over plain JSON-RPC. */

const TIMEOUT_MS = 5_000;

/** The node did not answer, or not with an answer: nothing is known, try later. */
export class NodeUnavailable extends Error {}

/** A block as far as its identity goes. `at` is Unix seconds. */
export type BlockId = { block: number; hash: string; at: number };

export type Node = {
  head(): Promise<BlockId>;
  /** Null when the node does not have the block (yet). */
  blockAt(block: number): Promise<BlockId | null>;
};

/** Asks every URL for its chain id. @returns the id, or the error, of each */
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

/** A node behind several URLs: the first that answers is believed for that call. */
export function connectNode(urls: string[]): Node {
  const ask = async (method: string, params: unknown[]) => {
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
      const head = blockId(await ask("eth_getBlockByNumber", ["latest", false]));
      if (head === null) throw new NodeUnavailable("the node has no latest block");
      return head;
    },
    async blockAt(block) {
      return blockId(await ask("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]));
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

/** What of a URL may be shown: keys of providers live in paths and queries. */
const hostOf = (url: string) => new URL(url).host;
