/** The event log and what is fed by it: how far it has got, and what waits for webhooks or was given up. */
import type { Registry } from "prom-client";
import { type EventWork, eventWork } from "../../db/operations/service-counts.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape, type Sample } from "./metric.ts";

const MAX_AGE_MS = 5_000;

/** Each API shows its readers of event streams itself (process.ts). */
export function eventGauges(registry: Registry, db: Queryable, now: () => number = () => performance.now()): void {
  const work = cachedRead(() => eventWork(db), MAX_AGE_MS, now);
  const gauge = (name: string, help: string, samples: (work: EventWork) => Sample[]) =>
    onScrape(registry, { name, help, type: "gauge" }, async () => {
      const read = await work();
      return read ? samples(read) : [];
    });
  gauge("agents_events_head", "The last place in the event log", ({ head }) => [{ value: head }]);
  gauge("agents_events_unplaced", "Events noted that have no place in the log yet", ({ unplaced }) => [
    { value: unplaced },
  ]);
  gauge("agents_webhooks", "Webhooks that are on, and off", ({ webhooks }) =>
    Object.entries(webhooks).map(([state, value]) => ({ labels: { state }, value })),
  );
  gauge("agents_webhooks_behind_events", "Places of the log that were not handed out to webhooks yet", (read) => [
    { value: Math.max(0, read.head - read.handedOut) },
  ]);
  gauge("agents_webhook_deliveries_pending", "Deliveries that wait for their turn or their next attempt", (read) => [
    { value: read.pending.rows },
  ]);
  gauge(
    "agents_webhook_deliveries_overdue_seconds",
    "How long the owner has waited that waits longest for its turn, of those whose receivers answer",
    (read) => [{ value: read.pending.oldestSeconds }],
  );
  gauge("agents_webhook_deliveries_dead", "Deliveries given up, kept to be replayed", ({ dead }) => [{ value: dead }]);
}
