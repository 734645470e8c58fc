/** Keeps the schedules of the jobs in the queue. A queue with a new storage has neither schedules nor what was queued. */
import type { Job } from "../job.ts";
import type { Queues } from "./queue.ts";

/**
 * @param requeue queues everything again; called when a schedule was missing, which means that the queue's storage is new,
 *   and again at each check until it succeeds
 * @returns a check that makes missing schedules; it throws while the queue's store is away
 */
export function scheduleKeeper(
  queue: Pick<Queues, "schedule">,
  jobs: readonly Pick<Job, "name" | "schedule">[],
  requeue: () => Promise<void>,
): () => Promise<void> {
  let isNew = false;
  return async () => {
    for (const { name, schedule } of jobs)
      if (schedule && (await queue.schedule(name, schedule.everyMs, {}))) isNew = true;
    if (!isNew) return;
    await requeue();
    isNew = false;
  };
}
