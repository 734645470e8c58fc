/** The process itself: what Node says of memory, loop and garbage, its database connections, its open event streams, its lists in memory. */
import type pg from "pg";
import { collectDefaultMetrics, type Registry } from "prom-client";
import type { LiveTableStats } from "../../columns/live-table-stats.ts";
import { onScrape } from "./metric.ts";

/** `process_…` and `nodejs_…` as prom-client makes them. */
export const processGauges = (registry: Registry): void => collectDefaultMetrics({ register: registry });

export function poolGauge(registry: Registry, pool: pg.Pool): void {
  onScrape(
    registry,
    {
      name: "agents_database_connections",
      help: "The pool: open, idle, and requests that wait for a connection",
      type: "gauge",
    },
    () =>
      Object.entries({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }).map(
        ([state, value]) => ({ labels: { state }, value }),
      ),
  );
}

export function streamGauge(registry: Registry, count: () => number): void {
  onScrape(
    registry,
    { name: "agents_event_streams", help: "Readers of event streams at this process", type: "gauge" },
    () => [{ value: count() }],
  );
}

/** @param lists by name; a list that is switched off has no samples */
export function listGauges(registry: Registry, lists: Record<string, { stats(): LiveTableStats | undefined }>): void {
  const gauge = (name: string, help: string, value: (stats: LiveTableStats) => number | null) =>
    onScrape(registry, { name, help, type: "gauge" }, () =>
      Object.entries(lists).flatMap(([list, one]) => {
        const stats = one.stats();
        const read = stats && stats.phase !== "off" ? value(stats) : null;
        return read === null ? [] : [{ labels: { list }, value: read }];
      }),
    );
  gauge("agents_list_ready", "1 when the list is in memory; otherwise SQL answers", ({ phase }) =>
    Number(phase === "ready"),
  );
  gauge("agents_list_rows", "Rows in memory", ({ rows }) => rows);
  gauge("agents_list_bytes", "Bytes they take", ({ bytes }) => bytes);
  gauge("agents_list_age_seconds", "Since memory was last known to equal the database", ({ ageMs }) =>
    ageMs === null ? null : ageMs / 1_000,
  );
}
