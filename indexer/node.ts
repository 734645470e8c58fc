/** The launcher's own reads of the chain, independent of Ponder: head and block hashes. */
import type { Logger } from "pino";
import { openRpcPool, type RpcPool } from "../clients/rpc/pool.ts";
import type { Config } from "../config/config.ts";
import { LaunchError } from "./schema-name.ts";

/** The nodes did not answer, or answered with an error: nothing is known about the chain, try again later. */
export class NodeUnavailable extends Error {}

/** A block with its hash and time. `at` is Unix seconds. */
export type BlockId = { block: number; hash: string; at: number };

export type Node = {
  head(): Promise<BlockId>;
  /** Null when the node does not have the block (yet). */
  blockAt(block: number): Promise<BlockId | null>;
};

export type Nodes = {
  /** The chain as the nodes show it. */
  node: Node;
  pool: RpcPool;
  /** @returns whether a node answers @throws LaunchError when none does and one is of another chain */
  answer(): Promise<boolean>;
};

/**
 * The configured nodes as one. A silent node and one of another chain are left out and tried again later; `log` gets a line.
 * @throws LaunchError when no node is configured
 */
export function openNodes({ chain: { id, nodes }, proxies }: Pick<Config, "chain" | "proxies">, log: Logger): Nodes {
  if (nodes.length === 0) throw new LaunchError("RPC_URL is not set and no local stack is running.");
  let wrongChain: string | undefined;
  const pool = openRpcPool({
    chainId: id,
    nodes,
    proxies,
    warn(sentence) {
      wrongChain = sentence;
      log.error(sentence);
    },
  });
  return {
    node: connectNode(pool),
    pool,
    async answer() {
      try {
        await pool.request("eth_blockNumber", []);
        return true;
      } catch {
        if (pool.stats().some(({ state }) => state === "wrong_chain"))
          throw new LaunchError(`No JSON-RPC node can be used: ${wrongChain}.`);
        return false;
      }
    },
  };
}

/** The chain as the nodes of a pool show it. */
function connectNode(pool: Pick<RpcPool, "request">): Node {
  const blockAt = async (block: string): Promise<BlockId | null> => {
    try {
      const raw = await pool.request("eth_getBlockByNumber", [block, false]);
      if (raw === null) return null;
      const { number, hash, timestamp } = raw as { number: string; hash: string; timestamp: string };
      return { block: Number(number), hash, at: Number(timestamp) };
    } catch (error) {
      throw new NodeUnavailable(`block ${block}: ${(error as Error).message}`, { cause: error });
    }
  };
  return {
    async head() {
      const head = await blockAt("latest");
      if (head === null) throw new NodeUnavailable("the node has no latest block");
      return head;
    },
    blockAt: (block) => blockAt(`0x${block.toString(16)}`),
  };
}
