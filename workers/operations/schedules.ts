/** The schedules of the jobs, looked after: a queue that lost its storage has lost them, and everything queued, too. */
import type { Job } from "../job.ts";
import type { Queues } from "./queue.ts";

/**
 * @param requeue queues everything again; called until it succeeds once a schedule was missing, which means that the
 *   queue's storage is new
 * @returns one look, which makes missing schedules; it throws while the queue's store is away
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
