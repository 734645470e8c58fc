/** Weighs agents again whose figures are due: each is one commit, and one that fails stops no other. */
import { unixSeconds } from "../../core/times.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";

/** Agents of one run, and how old figures become: windows move with the clock. */
const [AGENTS_PER_RUN, MAX_AGE_MS] = [500, 3_600_000];

/**
 * @param of.failed what the log says of an agent that could not be weighed
 * @returns number of agents whose figures were stored, or forgotten
 */
export async function weighDue<Facts>(
  { db, clock, log }: Pick<JobContext, "db" | "clock" | "log">,
  of: {
    forget(db: Queryable): Promise<number>;
    due(db: Queryable, before: Date, limit: number): Promise<number[]>;
    /** In a snapshot; null for an agent that has none any more. */
    facts(tx: Queryable, id: number, now: number): Promise<Facts | null>;
    store(id: number, facts: Facts, at: { now: number; date: Date }): Promise<void>;
    failed: string;
  },
): Promise<number> {
  let changed = await of.forget(db);
  for (const id of await of.due(db, new Date(clock().getTime() - MAX_AGE_MS), AGENTS_PER_RUN)) {
    try {
      const date = clock();
      const now = unixSeconds(date);
      const found = await snapshot(db, (tx) => of.facts(tx, id, now));
      if (found === null) continue;
      await of.store(id, found, { now, date });
      changed += 1;
    } catch (err) {
      log.warn({ err, directoryId: id }, of.failed);
    }
  }
  return changed;
}
