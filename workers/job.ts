/** The type of a job: a value with name, schedule, concurrency, input schema and `run`. */
import { z } from "zod";
import type { JobContext } from "./context.ts";
import { HopelessJob } from "./operations/queue.ts";

export type Job = {
  /** Name of the job, and of its queue if it has one. */
  name: string;
  /** Max concurrent runs in one process. */
  concurrency: number;
  /**
   * It reads untrusted content: answers, files, pages. It runs in the process of readers, where a document that
   * takes long, or all memory, delays no transaction and no delivery.
   */
  readsUntrusted?: true;
  /** Events and other jobs queue runs with an input of their own: the job has a queue. */
  queued?: true;
  /**
   * Milliseconds between scheduled runs, which have an empty input. At rest, when nothing was written for a minute, a job
   * runs every two minutes at most; `readsPayments`: every minute, because a payment on the chain announces nothing.
   */
  schedule?: { everyMs: number; readsPayments?: true };
  /** Names of scheduled jobs that are due at once, also at rest, after a run of this one that has changed rows. */
  followedBy?: readonly string[];
  input: z.ZodType;
  /**
   * Runs once with data from the queue. Every job may run twice with the same data without harm.
   * @returns number of changed rows
   */
  run(context: JobContext, data: unknown): Promise<number>;
};

const NO_INPUT = z.object({});

/**
 * Makes a job whose `run` receives its data after the check by `input`; data that fails the check is not tried again. A job that
 * says nothing else has no input, and one run at a time in a process.
 */
export function defineJob<S extends z.ZodType = typeof NO_INPUT>(
  job: Omit<Job, "concurrency" | "input" | "run"> & {
    concurrency?: number;
    input?: S;
    run(context: JobContext, input: z.output<S>): Promise<number>;
  },
): Job {
  const schema = job.input ?? NO_INPUT;
  return {
    concurrency: 1,
    ...job,
    input: schema,
    run(context, data) {
      const input = schema.safeParse(data);
      if (!input.success) throw new HopelessJob(`job ${job.name}: ${input.error.issues[0]!.message}`);
      return job.run(context, input.data as z.output<S>);
    },
  };
}
