/** The chain: JSON-RPC nodes and how the indexer reads them. */
import { z } from "zod";
import { flag, integer, list, url, webUrl } from "./checks.ts";
import {
  INDEXER,
  NONE,
  READERS_OF_CHAIN,
  type ValuesOf,
  type Variable,
  variable,
  WORKERS_AND_INDEXER,
} from "./variable.ts";

/** Variables of `Chain` in `.env.example`. */
export const CHAIN = {
  CHAIN_ID: variable(READERS_OF_CHAIN, "The chain", integer(1, 2 ** 31), "8453"),
  BLOCK_TIME: variable(
    NONE,
    "Seconds between blocks of the local stack's chain",
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, "must be a number of seconds")
      .transform(Number)
      .pipe(z.number().min(0.05).max(60)),
    "1",
  ),
  RPC_URL: variable(READERS_OF_CHAIN, "JSON-RPC node (unset: the local stack's anvil)", webUrl),
  RPC_URLS: variable(READERS_OF_CHAIN, "Further JSON-RPC nodes, comma list", list(webUrl), ""),
  RPC_WS_URL: variable(INDEXER, "WebSocket of the node: blocks are pushed instead of polled", url("ws:", "wss:")),
  RPC_LANES: variable(
    INDEXER,
    "Request lanes for each RPC URL during a backfill: the indexer limits requests per lane (20/s growing to 500/s)",
    integer(1, 256),
    "8",
  ),
  RPC_ARCHIVE: variable(
    INDEXER,
    "Whether the node keeps the state of old blocks; false: reads of old state fall back on the newest, over one lane",
    flag,
    "true",
  ),
  RPC_CACHE: variable(
    INDEXER,
    "Whether fetched chain data stays in Postgres for the next re-index; never with a development chain",
    flag,
    "true",
  ),
  POLL_INTERVAL_MS: variable(
    WORKERS_AND_INDEXER,
    "Interval between two polls of the indexer for a new block",
    integer(50, 60_000),
    "1000",
  ),
  BACKFILL_END_BLOCK: variable(INDEXER, "Last block to index; for measurements", integer(0, Number.MAX_SAFE_INTEGER)),
} satisfies Record<string, Variable>;

/** Options of `chain` in the configuration. */
export function chainConfig(v: ValuesOf<typeof CHAIN>) {
  return {
    chain: {
      id: v.CHAIN_ID,
      blockTimeSeconds: v.BLOCK_TIME,
      /** Every JSON-RPC URL, the preferred one first. */
      rpcUrls: v.RPC_URL ? [v.RPC_URL, ...v.RPC_URLS] : v.RPC_URLS,
      wsUrl: v.RPC_WS_URL,
      lanes: v.RPC_LANES,
      archive: v.RPC_ARCHIVE,
      cache: v.RPC_CACHE,
      pollIntervalMs: v.POLL_INTERVAL_MS,
      endBlock: v.BACKFILL_END_BLOCK,
    },
  };
}
