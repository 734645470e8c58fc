/** Reports to the launcher the requests of the pool in Ponder's process and what it learned of each node: an IPC message a second. */
import type { RpcNodeStats } from "../../clients/ports.ts";

/** IPC message with every node of the pool. */
export type NodesReport = { rpcNodes: RpcNodeStats[] };

const REPORT_MS = 1_000;

/** @param stats of the pool, since the start of the process */
export function reportNodes(stats: () => RpcNodeStats[]): void {
  setInterval(() => process.send?.({ rpcNodes: stats() } satisfies NodesReport), REPORT_MS).unref();
}
