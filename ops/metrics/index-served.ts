/** The index as its readers see it: its block, age and final block, and whether it is known to be wrong. */
import type { Registry } from "prom-client";
import type { IndexTracker } from "../../db/operations/index-state.ts";
import { onScrape } from "./metric.ts";

export function indexGauges(registry: Registry, index: Pick<IndexTracker, "state" | "age">): void {
  const gauge = (name: string, help: string, value: () => number | boolean | null) =>
    onScrape(registry, { name: `agents_index_${name}`, help, type: "gauge" }, () => {
      const read = value();
      return read === null || read === Number.POSITIVE_INFINITY ? [] : [{ value: Number(read) }];
    });
  gauge("ready", "1 when there are rows to serve", () => index.state.ready);
  gauge("held", "1 while a copy is served because the indexer restarts", () => index.state.retainedView);
  gauge("stale", "1 while what is served is known to be wrong somewhere", () => index.state.stale);
  gauge(
    "incomplete",
    "1 while it lacks something that its chain has",
    () => !index.state.stale && index.state.reason !== null,
  );
  gauge("block", "The block that is served", () => index.state.indexedBlock);
  gauge("finalized_block", "Up to here the index never rolls back", () => index.state.finalizedBlock);
  gauge("block_timestamp_seconds", "Time of the block that is served", () => index.state.indexedAt);
  gauge("confirmed_seconds", "Since the database last confirmed this state", () => index.age / 1_000);
}
