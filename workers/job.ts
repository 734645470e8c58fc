/** What a job is: a value with a name, a schedule, an input it understands and a way to run. */
import type { z } from "zod";
import type { JobContext } from "./context.ts";
import { HopelessJob } from "./queue.ts";

export type Job = {
  /** Name of the job and of its queue. */
  name: string;
  /** How many of it one process runs at once. */
  concurrency: number;
  /** Runs by itself this often, with an empty input. */
  schedule?: { everyMs: number };
  input: z.ZodType;
  /**
   * Runs it once with data from the queue. Every job may run twice for the same data, and does no harm by it.
   * @returns how many rows it changed
   */
  run(context: JobContext, data: unknown): Promise<number>;
};

/** Makes a job whose `run` is given its input as checked by `input`; data that does not fit is never tried again. */
export function defineJob<S extends z.ZodType>(
  job: Omit<Job, "input" | "run"> & {
    input: S;
    run(context: JobContext, input: z.output<S>): Promise<number>;
  },
): Job {
  return {
    ...job,
    run(context, data) {
      const input = job.input.safeParse(data);
      if (!input.success) throw new HopelessJob(`job ${job.name}: ${input.error.issues[0]!.message}`);
      return job.run(context, input.data);
    },
  };
}
