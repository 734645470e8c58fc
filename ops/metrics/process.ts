/** What a process shows of itself: memory and loop, database connections and replicas, JSON-RPC nodes, lists in memory, the index that it serves, queues. */
import type pg from "pg";
import type { Registry } from "prom-client";
import type { RpcNodeStats } from "../../clients/ports.ts";
import type { LiveTableStats } from "../../columns/live-table-stats.ts";
import type { StalledQueue } from "../../core/operations/stalled-queues.ts";
import type { IndexTracker } from "../../db/operations/index-state.ts";
import type { JobCounts } from "../../db/operations/job-runs.ts";
import type { ReadPool } from "../../db/replicas/read-pool.ts";
import { type MetricsOf, type Sample, samplesBy, samplesOf, showOnScrape } from "./metric.ts";

export function poolGauge(registry: Registry, pool: pg.Pool): void {
  showOnScrape(registry, () => pool, {
    agents_database_connections: [
      "The pool: open, idle, and requests that wait for a connection",
      ({ totalCount, idleCount, waitingCount }) =>
        samplesBy("state", { open: totalCount, idle: idleCount, waiting: waitingCount }),
    ],
  });
}

/** The value of each of several things, under a label with its name; what has none is left out. */
const ofEach = <T>(label: string, things: [name: string, thing: T][], value: (thing: T) => number | null): Sample[] =>
  things.flatMap(([name, thing]) => {
    const read = value(thing);
    return read === null ? [] : [{ labels: { [label]: name }, value: read }];
  });

/** @param lists by name; a list that is switched off has no samples */
export function listGauges(registry: Registry, lists: Record<string, { stats(): LiveTableStats | undefined }>): void {
  const read = () =>
    Object.entries(lists).flatMap(([name, list]): [string, LiveTableStats][] => {
      const stats = list.stats();
      return stats && stats.phase !== "off" ? [[name, stats]] : [];
    });
  const of = (value: (stats: LiveTableStats) => number | null) => (all: [string, LiveTableStats][]) =>
    ofEach("list", all, value);
  showOnScrape(registry, read, {
    agents_list_ready: [
      "1 when the list is in memory; otherwise SQL answers",
      of(({ phase }) => Number(phase === "ready")),
    ],
    agents_list_rows: ["Rows in memory", of(({ rows }) => rows)],
    agents_list_bytes: ["Bytes they take", of(({ bytes }) => bytes)],
    agents_list_age_seconds: [
      "Since memory was last known to equal the database",
      of(({ ageMs }) => ageMs && ageMs / 1_000),
    ],
  });
}

/** The index as its readers see it: its block, age and final block, and whether it is known to be wrong. */
export function indexGauges(registry: Registry, index: Pick<IndexTracker, "state" | "age">): void {
  showOnScrape(registry, () => index.state, {
    agents_index_ready: ["1 when there are rows to serve", ({ ready }) => ready],
    agents_index_held: ["1 while a copy is served because the indexer restarts", ({ retainedView }) => retainedView],
    agents_index_stale: ["1 while what is served is known to be wrong somewhere", ({ stale }) => stale],
    agents_index_incomplete: [
      "1 while it lacks something that its chain has",
      ({ stale, reason }) => !stale && reason !== null,
    ],
    agents_index_block: ["The block that is served", ({ indexedBlock }) => indexedBlock],
    agents_index_finalized_block: ["Up to here the index never rolls back", ({ finalizedBlock }) => finalizedBlock],
    agents_index_block_timestamp_seconds: ["Time of the block that is served", ({ indexedAt }) => indexedAt],
    agents_index_confirmed_seconds: [
      "Since the database last confirmed this state",
      () => (index.age === Number.POSITIVE_INFINITY ? null : index.age / 1_000),
    ],
  });
}

/** The replicas of the database at an API: which take reads, why others do not, how far they are behind. @param pool undefined where none is configured */
export function replicaMetrics(
  registry: Registry,
  pool: Pick<ReadPool, "replicas" | "primaryReads"> | undefined,
): void {
  type Pool = NonNullable<typeof pool>;
  const of = (value: (replica: ReadPool["replicas"][number]) => number | null) => (read: Pool) =>
    ofEach(
      "replica",
      read.replicas.map((replica) => [replica.name, replica]),
      value,
    );
  showOnScrape(registry, () => pool, {
    agents_replica_in_use: ["1 while a replica takes reads", of(({ leftOut }) => Number(leftOut === null))],
    agents_replica_left_out: [
      "1 for the reason why a replica takes no reads",
      ({ replicas }) =>
        replicas.flatMap(({ name, leftOut }) =>
          leftOut ? [{ labels: { replica: name, reason: leftOut }, value: 1 }] : [],
        ),
    ],
    agents_replica_lag_seconds: [
      "Since a replica was last seen to have everything the primary had; 0 while it takes reads",
      of(({ lagMs }) => lagMs && lagMs / 1_000),
    ],
    agents_database_reads_total: [
      "Reads by the server that answered them",
      ({ primaryReads, replicas }) => [
        { labels: { server: "primary" }, value: primaryReads },
        ...replicas.map(({ name, reads }) => ({ labels: { server: name }, value: reads })),
      ],
      "counter",
    ],
    agents_replica_failed_reads_total: [
      "Reads that a replica could not answer and the primary did",
      of(({ failed }) => failed),
      "counter",
    ],
  });
}

/** Requests to JSON-RPC nodes, refusals, and what the service has learned of each node's limits. */
const NODE_METRICS: MetricsOf<RpcNodeStats> = {
  agents_rpc_requests_total: [
    "JSON-RPC requests by method; a batch counts each",
    ({ requests }) => samplesBy("method", requests),
    "counter",
  ],
  agents_rpc_posts_total: ["HTTP requests to a node", ({ posts }) => posts, "counter"],
  agents_rpc_refused_total: [
    "Answers without a result by reason; silence: no answer",
    ({ refused }) => samplesBy("reason", refused),
    "counter",
  ],
  agents_rpc_retried_total: [
    "JSON-RPC requests sent again, here or to another node",
    ({ retried }) => retried,
    "counter",
  ],
  agents_rpc_node_ready: [
    "0 while a node is silent or of another chain",
    ({ state }) => [{ labels: { state }, value: Number(state === "ready") }],
  ],
  agents_rpc_logs_range_blocks: [
    "Blocks of one eth_getLogs that a node takes, as learned",
    ({ logsRange }) => logsRange,
  ],
  agents_rpc_batch_requests: ["Requests of one batch that a node takes, as learned", ({ batch }) => batch],
  agents_rpc_rate_per_second: ["Requests per second that a node takes, as learned", ({ perSecond }) => perSecond],
};

/** @returns adds the nodes of a pool, whose values are read at each scrape */
export function nodeMetrics(registry: Registry): (stats: () => RpcNodeStats[]) => void {
  const pools: (() => RpcNodeStats[])[] = [];
  const nodes = () => pools.flatMap((stats) => stats());
  const onEach = (metrics: MetricsOf<RpcNodeStats>): MetricsOf<RpcNodeStats[]> =>
    Object.fromEntries(
      Object.entries(metrics).map(([name, [help, shown, ...type]]) => [
        name,
        [help, (all) => all.flatMap((node) => labelled(samplesOf(shown(node)), { host: node.host })), ...type],
      ]),
    );
  showOnScrape(registry, nodes, onEach(NODE_METRICS));
  return (stats) => void pools.push(stats);
}

const labelled = (samples: Sample[], more: Record<string, string>): Sample[] =>
  samples.map(({ labels, value }) => ({ labels: { ...more, ...labels }, value }));

/** Queues on which nothing moves while work is due; while the database is away nothing is shown. */
export function stalledGauge(registry: Registry, stalled: () => Promise<readonly StalledQueue[]>): void {
  showOnScrape(registry, () => stalled().catch(() => null), {
    agents_queue_standing_seconds: [
      "Time without any move of a queue on which work is due; queues that move are not listed",
      (queues) => queues.map(({ name: queue, seconds }) => ({ labels: { queue }, value: seconds })),
    ],
  });
}

/**
 * How many jobs wait, run and have failed in each queue.
 * @param counts state of every queue; while the queue's store is away, only its absence is shown
 */
export function queueGauges(registry: Registry, counts: () => Promise<JobCounts[]>): void {
  let reading: Promise<JobCounts[] | null> | undefined;
  const read = () => {
    reading ??= counts()
      .catch(() => null)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  showOnScrape(registry, read, {
    agents_queue_jobs: [
      "Jobs of each queue by state: waiting, active, failed",
      (queues) =>
        queues.flatMap(({ name, waiting, active, failed }) =>
          labelled(samplesBy("state", { waiting, active, failed }), { queue: name }),
        ),
    ],
    agents_queue_oldest_seconds: [
      "Age of the oldest waiting job; 0 when none waits",
      (queues) => queues.map(({ name: queue, oldestSeconds }) => ({ labels: { queue }, value: oldestSeconds ?? 0 })),
    ],
  });
  showOnScrape(registry, async () => ({ up: (await read()) !== null }), {
    agents_queue_up: ["1 when the queue's store answers", ({ up }) => up],
  });
}
