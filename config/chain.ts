/** The chain: JSON-RPC nodes and how the indexer reads them. */
import { z } from "zod";
import { RPC_ROLES, readRpcNode } from "../core/operations/rpc-roles.ts";
import { flag, integer, list, url, webUrl } from "./checks.ts";
import { type ValuesOf, type Variable, variable } from "./variable.ts";

/** The URL of a node, with its roles in the fragment. */
const rpcNode = webUrl.transform((entry, ctx) => {
  const node = readRpcNode(entry);
  if (node === null) ctx.addIssue(`must name in its fragment roles out of ${RPC_ROLES.join(", ")}, joined by +`);
  return node ?? z.NEVER;
});

/** Variables of `Chain` in `.env.example`. */
export const CHAIN = {
  CHAIN_ID: variable(["api", "workers", "indexer"], "The chain", integer(1, 2 ** 31), "8453"),
  BLOCK_TIME: variable(
    [],
    "Seconds between blocks of the local stack's chain",
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, "must be a number of seconds")
      .transform(Number)
      .pipe(z.number().min(0.05).max(60)),
    "1",
  ),
  RPC_URL: variable(
    ["api", "workers", "indexer"],
    "JSON-RPC node (unset: the local stack's anvil); #head, #logs, #archive or #logs+archive behind a URL names its roles",
    rpcNode,
  ),
  RPC_URLS: variable(
    ["api", "workers", "indexer"],
    "Further JSON-RPC nodes, comma list, with roles as above",
    list(rpcNode),
    "",
  ),
  RPC_WS_URL: variable(["indexer"], "WebSocket of the node: blocks are pushed instead of polled", url("ws:", "wss:")),
  RPC_LANES: variable(
    ["indexer"],
    "Request lanes for each RPC URL during a backfill: the indexer limits requests per lane (20/s growing to 500/s)",
    integer(1, 256),
    "8",
  ),
  RPC_ARCHIVE: variable(
    ["indexer"],
    "Whether a node keeps the state of old blocks. Without one, reads of old state use the newest; true: with a warning",
    flag,
    "true",
  ),
  RPC_CACHE: variable(
    ["indexer"],
    "Whether fetched chain data stays in Postgres for the next re-index; never with a development chain",
    flag,
    "true",
  ),
  POLL_INTERVAL_MS: variable(
    ["workers", "indexer"],
    "Interval between two polls of the indexer for a new block",
    integer(50, 60_000),
    "1000",
  ),
  BACKFILL_END_BLOCK: variable(
    ["indexer"],
    "Last block to index; for measurements",
    integer(0, Number.MAX_SAFE_INTEGER),
  ),
} satisfies Record<string, Variable>;

/** Options of `chain` in the configuration. */
export function chainConfig(v: ValuesOf<typeof CHAIN>) {
  const nodes = v.RPC_URL ? [v.RPC_URL, ...v.RPC_URLS] : v.RPC_URLS;
  return {
    chain: {
      id: v.CHAIN_ID,
      blockTimeSeconds: v.BLOCK_TIME,
      /** Every JSON-RPC node with its roles, the preferred one first. */
      nodes,
      /** Their URLs, without the roles. */
      rpcUrls: nodes.map(({ url }) => url),
      wsUrl: v.RPC_WS_URL,
      lanes: v.RPC_LANES,
      archive: v.RPC_ARCHIVE,
      cache: v.RPC_CACHE,
      pollIntervalMs: v.POLL_INTERVAL_MS,
      endBlock: v.BACKFILL_END_BLOCK,
    },
  };
}
