/** How far the pull of each registry has got: a page and the place behind it are one transaction. */
import { eq, sql } from "drizzle-orm";
import { directoryPull } from "../schema/directory.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { trimQuarantine } from "./quarantine.ts";

export type PullMode = "full" | "incremental";
export type PullState = Row<typeof READ>;

const STATE_COLUMNS = {
  ...columnsOf(directoryPull, {
    only: ["mode", "sweep", "cursor", "done", "failures", "startedAt", "lastFullAt", "wholeSweep", "partial"],
  }),
  watermark: t.nullable(t.text),
};
const STATE = t.fieldsOf(STATE_COLUMNS, { as: { watermark: "watermark #>> '{}'" } });

const READ = statement({
  name: "directory-pull-state",
  params: { source: t.text },
  text: `select ${STATE} from offchain.directory_pull where source = $source`,
  columns: STATE_COLUMNS,
});

/** The state of a registry's pull, as of now. */
export async function pullState(db: Queryable, source: string): Promise<PullState> {
  const row = await READ.maybeOne(db, { source });
  if (row !== null) return row;
  await orm(db).insert(directoryPull).values({ source }).onConflictDoNothing();
  return READ.one(db, { source });
}

/** Begins a pull whose state was read, from the first page; a full one gets a number of its own. */
export const beginPull = statement({
  name: "directory-pull-begin",
  params: { source: t.text, mode: t.narrow<PullMode>(t.text), now: t.timestamptz },
  text: `
    update offchain.directory_pull
    set mode = $mode, sweep = sweep + case when $mode = 'full' then 1 else 0 end, started_at = $now, cursor = null,
      done = 0, failures = 0, expected = null, changed = 0, quarantined = 0, partial = null, error = null
    where source = $source returning ${STATE}`,
  columns: STATE_COLUMNS,
}).one;

/** The cursor of a pull that has taken its last page and was not ended. */
export const PULL_END = { end: true } as const;
export const isPullEnd = (cursor: unknown): boolean => (cursor as typeof PULL_END | null)?.end === true;

/** Stores how far a pull is after a page that was stored; part of the transaction that stores its items. */
export const notePage = statement({
  name: "directory-pull-page",
  params: {
    ...columnsOf(directoryPull, { only: ["source", "cursor", "expected", "changed", "quarantined"] }),
    items: t.int4,
    /** Why it does not show all items at its place; the first reason of a pull is kept. */
    partial: t.optional(t.text),
  },
  text: `
    update offchain.directory_pull set cursor = $cursor::jsonb, done = done + $items, failures = 0,
      expected = coalesce($expected, expected), changed = changed + $changed, quarantined = quarantined + $quarantined,
      partial = coalesce(partial, $partial), error = null
    where source = $source`,
}).run;

const END = statement({
  name: "directory-pull-end",
  params: {
    source: t.text,
    mode: t.narrow<PullMode>(t.text),
    /** Start of the next incremental pull; null after a full sweep that is made again. */
    watermark: t.nullable(t.text),
    /** Whether it was a full sweep that showed all items. */
    whole: t.bool,
    removed: t.int4,
    /** What an operator may want to know of it. */
    note: t.nullable(t.text),
    now: t.timestamptz,
    nextRunAt: t.timestamptz,
  },
  text: `
    update offchain.directory_pull set mode = null, cursor = null,
      watermark = case when $watermark::text is not null then to_jsonb($watermark::text) end,
      changed = changed + $removed, last_success_at = $now,
      last_full_at = case when $mode = 'full' and $watermark::text is not null then $now else last_full_at end,
      whole_sweep = case when $whole then sweep else whole_sweep end,
      note = case when $mode = 'full' then $note else coalesce($note, note) end, next_run_at = $nextRunAt, error = null
    where source = $source`,
});

/** Ends a pull that went through. */
export async function endPull(tx: Queryable, end: Parameters<typeof END.run>[1]): Promise<void> {
  await END.run(tx, end);
  await trimQuarantine(tx, end.source, end);
}

/** Stores why a pull stopped, and counts the attempt; the next one continues at its cursor. */
export async function failPull(db: Queryable, source: string, error: string, nextRunAt: Date): Promise<void> {
  await orm(db)
    .update(directoryPull)
    .set({ error, nextRunAt, failures: sql`${directoryPull.failures} + 1` })
    .where(eq(directoryPull.source, source));
}

/** Ends a pull that cannot continue; the next one begins at the start. */
export async function abandonPull(db: Queryable, source: string): Promise<void> {
  await orm(db).update(directoryPull).set({ mode: null, cursor: null }).where(eq(directoryPull.source, source));
}

/** Every registry's pull, for the status and the progress bar. */
export const pullProgress = statement({
  name: "directory-pulls",
  text: `
    select source as key, last_success_at as "lastSuccessAt", next_run_at as "nextRunAt", changed as rows, error, note,
      done, expected, mode is not null as running,
      (select count(*)::int4 from offchain.directory_quarantine q where q.source = p.source) as quarantined
    from offchain.directory_pull p order by source`,
  columns: {
    key: t.text,
    lastSuccessAt: t.nullable(t.timestamptz),
    nextRunAt: t.nullable(t.timestamptz),
    rows: t.int4,
    error: t.nullable(t.text),
    note: t.nullable(t.text),
    done: t.int4,
    expected: t.nullable(t.int4),
    running: t.bool,
    quarantined: t.int4,
  },
  prepared: true,
}).rows;

export type PullProgress = Row<typeof pullProgress>;

/** Makes the job that pulls these sources run when the first of them is due, where that is before its schedule. */
export const runWhenPullIsDue = statement({
  name: "pull-run-when-due",
  params: { job: t.text, sources: t.array(t.text), leastMs: t.float8 },
  text: `
    update offchain.job_run j
    set next_run_at = least(j.next_run_at, greatest(now() + $leastMs * interval '1 ms', p.due_at))
    from (select min(coalesce(next_run_at, now())) as due_at from offchain.directory_pull where source = any($sources::text[])) p
    where j.name = $job and p.due_at is not null`,
}).run;
