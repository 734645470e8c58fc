/** Jobs that weigh agents again whose figures are due: after each read that changes something, and every hour, because windows move. */
import { unixSeconds } from "../../core/times.ts";
import { isNoIndex, type Queryable, snapshot } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

/** Agents of one run, and how old figures become. */
const [AGENTS_PER_RUN, MAX_AGE_MS] = [500, 3_600_000];

/**
 * A job whose runs end with the number of agents whose figures were stored, or forgotten.
 * Resumes: with the agents whose figures are missing or the oldest; each is one commit.
 * One item: an agent whose figures cannot be computed is logged, and the others are. Without an index none can be.
 * Bound: of an agent what `weighedOf` chooses is weighed one by one (db/income/agent-figures.ts).
 * @param of.facts in a snapshot; null for an agent that has none any more
 * @param of.failed what the log says of an agent that could not be weighed
 */
export const weighingJob = <Facts>(of: {
  name: string;
  figures: {
    forget(db: Queryable): Promise<number>;
    due(db: Queryable, before: Date, limit: number): Promise<number[]>;
  };
  facts(tx: Queryable, agent: { id: number; usdc: string; now: number }): Promise<Facts | null>;
  store(db: JobContext["db"], agent: { id: number; facts: Facts; now: number }, date: Date): Promise<void>;
  failed: string;
}) =>
  defineJob({
    name: of.name,
    schedule: { everyMs: 15_000 },
    async run({ db, clock, log, config }) {
      let changed = await of.figures.forget(db);
      const usdc = config.contracts.usdc.address;
      for (const id of await of.figures.due(db, new Date(clock().getTime() - MAX_AGE_MS), AGENTS_PER_RUN)) {
        try {
          const date = clock();
          const now = unixSeconds(date);
          const facts = await snapshot(db, (tx) => of.facts(tx, { id, usdc, now }));
          if (facts === null) continue;
          await of.store(db, { id, facts, now }, date);
          changed += 1;
        } catch (err) {
          if (isNoIndex(err)) throw err;
          log.warn({ err, directoryId: id }, of.failed);
        }
      }
      return changed;
    },
  });
