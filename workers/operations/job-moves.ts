/** Records that the jobs of this process move, so that a monitor sees a queue without progress of any cause. */
import type pg from "pg";
import type { Logger } from "pino";
import { forgetOtherJobs, recordMoves } from "../../db/operations/job-runs.ts";

/** Milliseconds between two records: well within the time after which a queue counts as stalled. */
const BEAT_MS = 10_000;

export type JobMoves = {
  /** Call around each run. */
  during<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** Records what has moved since the last record, and what is under way. @throws the database's error */
  record(): Promise<void>;
  /** Resolves when no record is under way. */
  stop(): Promise<void>;
};

/** @param names of all jobs there are; the runs of others are forgotten at the first record */
export function openJobMoves(db: pg.Pool, names: readonly string[], log: Pick<Logger, "warn">): JobMoves {
  const running = new Map<string, number>();
  let moved = new Set<string>();
  let isFirst = true;
  const record = async () => {
    if (isFirst) await forgetOtherJobs(db, { names });
    isFirst = false;
    const moving = new Set([...moved, ...running.keys()]);
    moved = new Set();
    if (moving.size > 0) await recordMoves(db, { names: [...moving] });
  };
  let recording: Promise<void> | undefined;
  const timer = setInterval(() => {
    recording ??= record()
      .catch((error) => log.warn({ err: error }, "it could not be recorded which jobs move; the next record has it"))
      .finally(() => {
        recording = undefined;
      });
  }, BEAT_MS).unref();
  return {
    async during(name, run) {
      running.set(name, (running.get(name) ?? 0) + 1);
      try {
        return await run();
      } finally {
        moved.add(name);
        const left = running.get(name)! - 1;
        if (left > 0) running.set(name, left);
        else running.delete(name);
      }
    },
    record,
    async stop() {
      clearInterval(timer);
      await recording;
    },
  };
}
