/** Runs of jobs by name and outcome, and how many jobs wait, run and have failed in each queue. */
import type { Registry } from "prom-client";
import type { StandingQueue } from "../../core/operations/standing-queues.ts";
import type { JobCounts } from "../../db/operations/job-runs.ts";
import type { JobMeter } from "../../workers/context.ts";
import { durationsBy, onScrape, type Sample } from "./metric.ts";

export function jobMeter(registry: Registry): JobMeter {
  const ran = durationsBy<"job" | "outcome">(registry, {
    name: "agents_job_duration_seconds",
    help: "Runs of jobs; done, failed, or away: what it needed of others was not to be had",
  });
  return { ran: (job, outcome, ms) => ran({ job, outcome }, ms) };
}

/** Queues on which nothing moves while work is due; while the database is away nothing is shown. */
export function standingGauge(registry: Registry, standing: () => Promise<readonly StandingQueue[]>): void {
  const name = "agents_queue_standing_seconds";
  const help = "Time without any move of a queue on which work is due; queues that move are not listed";
  onScrape(registry, { name, help, type: "gauge" }, async () =>
    (await standing().catch(() => [])).map(({ name: queue, seconds }) => ({ labels: { queue }, value: seconds })),
  );
}

/** @param counts state of every queue; while the queue's store is away, only its absence is shown */
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
  const gauge = (name: string, help: string, samples: (queues: JobCounts[]) => Sample[]) =>
    onScrape(registry, { name, help, type: "gauge" }, async () => samples((await read()) ?? []));
  gauge("agents_queue_jobs", "Jobs of each queue by state: waiting, active, failed", (queues) =>
    queues.flatMap(({ name: queue, waiting, active, failed }) =>
      Object.entries({ waiting, active, failed }).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
  );
  gauge("agents_queue_oldest_seconds", "Age of the oldest waiting job; 0 when none waits", (queues) =>
    queues.map(({ name: queue, oldestSeconds }) => ({ labels: { queue }, value: oldestSeconds ?? 0 })),
  );
  onScrape(registry, { name: "agents_queue_up", help: "1 when the queue's store answers", type: "gauge" }, async () => [
    { value: (await read()) === null ? 0 : 1 },
  ]);
}
