/** The backfill's progress: one record that the indexer's launcher writes and the terminal, `/status` and metrics read. */
import type { BackfillProgress } from "../../core/views/backfill.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, withoutIndex } from "../sql/transaction.ts";

/**
 * Seconds without a new record after which the indexer counts as stopped: it writes each second, and at least every 30 s
 * while it cannot run.
 */
const SILENT_SECONDS = 60;

/** DDL of the record's table; part of the schema that the launcher owns. */
export const BACKFILL_PROGRESS_DDL = `
  create table if not exists onchain.backfill_progress (
    one boolean primary key default true check (one),
    progress jsonb not null,
    recorded_at timestamptz not null
  );`;

/** Replaces the record. */
export const writeBackfillProgress = statement({
  name: "backfill-progress-write",
  given: (progress: BackfillProgress) => ({ progress }),
  params: { progress: t.jsonb<BackfillProgress>() },
  text: `
    insert into onchain.backfill_progress (progress, recorded_at) values ($progress, now())
    on conflict (one) do update set progress = excluded.progress, recorded_at = now()`,
}).run;

const READ = statement({
  name: "backfill-progress-read",
  text: `
    select progress, extract(epoch from now() - recorded_at)::float8 as age,
           recorded_at < now() - interval '${SILENT_SECONDS} seconds' as silent
    from onchain.backfill_progress`,
  columns: { progress: t.jsonb<BackfillProgress>(), age: t.float8, silent: t.bool },
  prepared: true,
});

/** The record with its age in seconds. `silent`: the indexer has not written for a minute, so it does not run. */
export type RecordedProgress = BackfillProgress & { age: number; silent: boolean };

/** @returns null while no indexer has recorded progress in this database */
export async function readBackfillProgress(db: Queryable): Promise<RecordedProgress | null> {
  const row = await READ.maybeOne(db).catch(withoutIndex(null));
  return row && { ...row.progress, age: row.age, silent: row.silent };
}
