/** Replicas of the database at an API: which take reads, why others do not, how far they are behind. */
import type { Registry } from "prom-client";
import type { ReadPool } from "../../db/replicas/read-pool.ts";
import { onScrape, type Sample } from "./metric.ts";

/** @param pool undefined where no replica is configured: then the metrics have no samples */
export function replicaMetrics(
  registry: Registry,
  pool: Pick<ReadPool, "replicas" | "primaryReads"> | undefined,
): void {
  const replicas = () => pool?.replicas ?? [];
  const of = (value: (replica: ReadPool["replicas"][number]) => number | null) => (): Sample[] =>
    replicas().flatMap((replica) => {
      const read = value(replica);
      return read === null ? [] : [{ labels: { replica: replica.name }, value: read }];
    });
  onScrape(
    registry,
    { name: "agents_replica_in_use", help: "1 while a replica takes reads", type: "gauge" },
    of(({ leftOut }) => Number(leftOut === null)),
  );
  onScrape(
    registry,
    { name: "agents_replica_left_out", help: "1 for the reason why a replica takes no reads", type: "gauge" },
    () =>
      replicas().flatMap(({ name, leftOut }) =>
        leftOut ? [{ labels: { replica: name, reason: leftOut }, value: 1 }] : [],
      ),
  );
  onScrape(
    registry,
    {
      name: "agents_replica_lag_seconds",
      help: "Since a replica was last seen to have everything the primary had; 0 while it takes reads",
      type: "gauge",
    },
    of(({ lagMs }) => (lagMs === null ? null : lagMs / 1_000)),
  );
  onScrape(
    registry,
    { name: "agents_database_reads_total", help: "Reads by the server that answered them", type: "counter" },
    () =>
      pool
        ? [
            { labels: { server: "primary" }, value: pool.primaryReads },
            ...pool.replicas.map(({ name, reads }) => ({ labels: { server: name }, value: reads })),
          ]
        : [],
  );
  onScrape(
    registry,
    {
      name: "agents_replica_failed_reads_total",
      help: "Reads that a replica could not answer and the primary did",
      type: "counter",
    },
    of(({ failed }) => failed),
  );
}
