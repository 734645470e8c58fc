/**
 * Replaces Ponder's HTTP client (see over-rpc-pool.ts): requests go through the pool, which knows each node's role and
 * limits, sends Ponder's single requests in batches, and splits ranges of logs. Ponder keeps its lanes and its retries.
 */
import { HttpRequestError, RpcRequestError } from "viem";
import { RpcRequestError as NodeError, openRpcPool } from "../../clients/rpc/pool.ts";
import { loadConfig } from "../../config/config.ts";
import { BlockRemoved, withNewestState, withoutRemovedBlocks } from "./missing-on-node.ts";
import { reportingFinalized } from "./report-finalized.ts";
import { reportNodes } from "./report-nodes.ts";

/** Max milliseconds of one HTTP request: Ponder's own limit. */
const TIMEOUT_MS = 10_000;
/** Max milliseconds that a request waits for nodes that are paused for their rate. */
const TURN_TIMEOUT_MS = 60_000;

const { chain, proxies } = loadConfig();
const { id, nodes, archive } = chain;
const pool = openRpcPool({
  chainId: id,
  nodes,
  proxies,
  timeoutMs: TIMEOUT_MS,
  maxWaitMs: TURN_TIMEOUT_MS,
  // Ponder never requests a range again: what is missing in one answer is missing in the index.
  logsNeedHead: true,
  wholeLogs: true,
  warn: (sentence) => console.error(sentence),
});
reportNodes(pool.stats);
const ask = reportingFinalized(withoutRemovedBlocks(withNewestState(pool.request, warnOfMissingState)));

/** RPC_ARCHIVE says whether an operator has to know. The launcher logs what is written to stderr. */
function warnOfMissingState(block: number): void {
  if (archive)
    console.error(
      `no JSON-RPC node keeps the state of block ${block}: reads of old state use the newest. Name a node with all ` +
        "states in RPC_URLS, or set RPC_ARCHIVE=false",
    );
}

/** Viem puts a URL into the texts of its errors. The pool has several, and they hold keys. */
const url = "the JSON-RPC nodes";

type Body = { method: string; params?: readonly unknown[] };

/** Ponder makes a client for each of its lanes; all use the one pool. The answers are those of Ponder's own client. */
export function getHttpRpcClient(): { request(given: { body: Body }): Promise<unknown> } {
  return {
    async request({ body }) {
      try {
        return await ask(body.method, body.params ?? []);
      } catch (error) {
        if (error instanceof NodeError) {
          const { code, details: message, data } = error;
          throw new RpcRequestError({ body, error: { code, message, data }, url });
        }
        // The only status after which Ponder does not repeat the request.
        const status = error instanceof BlockRemoved ? 404 : undefined;
        throw new HttpRequestError({ body, cause: error as Error, details: (error as Error).message, status, url });
      }
    },
  };
}
