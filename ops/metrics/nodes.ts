/** Metrics of the JSON-RPC nodes: requests, refusals, and what the service has learned of each node's limits. */
import type { Registry } from "prom-client";
import type { RpcNodeStats } from "../../clients/ports.ts";
import { type Labels, type MetricHead, onScrape, type Sample } from "./metric.ts";

type NodeReading = (node: RpcNodeStats) => { labels?: Labels; value: number | null }[];

const by = (label: string, counts: Record<string, number>) =>
  Object.entries(counts).map(([word, value]) => ({ labels: { [label]: word }, value }));

const METRICS: [MetricHead, NodeReading][] = [
  [
    { name: "agents_rpc_requests_total", help: "JSON-RPC requests by method; a batch counts each", type: "counter" },
    ({ requests }) => by("method", requests),
  ],
  [
    { name: "agents_rpc_posts_total", help: "HTTP requests to a node", type: "counter" },
    ({ posts }) => [{ value: posts }],
  ],
  [
    {
      name: "agents_rpc_refused_total",
      help: "Answers without a result by reason; silence: no answer",
      type: "counter",
    },
    ({ refused }) => by("reason", refused),
  ],
  [
    {
      name: "agents_rpc_retried_total",
      help: "JSON-RPC requests sent again, here or to another node",
      type: "counter",
    },
    ({ retried }) => [{ value: retried }],
  ],
  [
    { name: "agents_rpc_node_ready", help: "0 while a node is silent or of another chain", type: "gauge" },
    ({ state }) => [{ labels: { state }, value: Number(state === "ready") }],
  ],
  [
    {
      name: "agents_rpc_logs_range_blocks",
      help: "Blocks of one eth_getLogs that a node takes, as learned",
      type: "gauge",
    },
    ({ logsRange }) => [{ value: logsRange }],
  ],
  [
    { name: "agents_rpc_batch_requests", help: "Requests of one batch that a node takes, as learned", type: "gauge" },
    ({ batch }) => [{ value: batch }],
  ],
  [
    { name: "agents_rpc_rate_per_second", help: "Requests per second that a node takes, as learned", type: "gauge" },
    ({ perSecond }) => [{ value: perSecond }],
  ],
];

/** @returns adds the nodes of a pool, whose values are read at each scrape */
export function nodeMetrics(registry: Registry): (stats: () => RpcNodeStats[]) => void {
  const pools: (() => RpcNodeStats[])[] = [];
  for (const [head, read] of METRICS)
    onScrape(registry, head, () =>
      pools.flatMap((stats) =>
        stats().flatMap((node) =>
          read(node).flatMap(({ labels, value }): Sample[] =>
            value === null ? [] : [{ labels: { host: node.host, ...labels }, value }],
          ),
        ),
      ),
    );
  return (stats) => void pools.push(stats);
}
