/** The schema `onchain`: which tables its views show, and the changes of them, each in one transaction. */
import type pg from "pg";
import { BACKFILL_PROGRESS_DDL } from "../db/operations/backfill-progress.ts";
import { CHANGES_CHANNEL, checkpointBlock, checkpointTime, INDEX_CHANNEL } from "../db/operations/index-state.ts";
import { array, bool, int4, nullable, text } from "../db/sql/columns.ts";
import { ADVISORY_LOCKS } from "../db/sql/locks.ts";
import { family, type Row, statement } from "../db/sql/statement.ts";
import { type Queryable, transaction } from "../db/sql/transaction.ts";
import { CHECKPOINT, columnsOf } from "./ponder-tables.ts";

/** First key of the advisory lock "one launcher per build"; the second is the hash of the build's name. */
export const BUILD_LOCK = ADVISORY_LOCKS.indexBuild;

/** Setting of a transaction that has changed rows of an index. */
const CHANGED = "onchain.changed";

/** Copy of Ponder's checkpoint that the views show. */
const VIEW_CHECKPOINT = "_onchain_checkpoint";

/** Schemas that the launcher creates and may drop: indexes, what a fetch indexes, and retained copies. */
const OWN_SCHEMAS = "^((index|fetch)_[0-9a-f]{10}_[0-9]+|retained_[0-9a-z]+)$";

/**
 * Milliseconds that a change of the views waits for its exclusive locks, then it is tried again. Much less than the
 * second after which Postgres looks for deadlocks, so that a slow reader never gets the error.
 */
const LOCK_TIMEOUT_MS = 200;
const LOCK_NOT_AVAILABLE = "55P03";

/** Creates the schema `onchain` and the launcher's own tables in it, where they do not exist. */
export async function ensureOnchain(db: Queryable): Promise<void> {
  await db.query(`
    create schema if not exists onchain;
    create table if not exists onchain.index_state (
      one boolean primary key default true check (one),
      schema text,
      serves text,
      generation int not null default 0,
      held boolean not null default false,
      stale boolean not null default false,
      reason text,
      since timestamptz not null default now()
    );
    insert into onchain.index_state default values on conflict do nothing;
    create table if not exists onchain.block_hash (
      chain_id bigint not null,
      block bigint not null,
      hash text not null,
      primary key (chain_id, block)
    );
    ${BACKFILL_PROGRESS_DDL}
    create or replace function onchain.announce() returns trigger language plpgsql as $$
    begin
      -- A notification wakes every connection that listens, to whatever: a block without changes is not worth that.
      if tg_op = 'UPDATE' and coalesce(current_setting('${CHANGED}', true), '') = ''
        and new.finalized_checkpoint = old.finalized_checkpoint then
        return null;
      end if;
      perform pg_notify('${INDEX_CHANNEL}', format('%s %s %s %s', tg_table_schema, ${checkpointBlock("new.latest_checkpoint")},
        ${checkpointTime("new.latest_checkpoint")}, ${checkpointBlock("new.finalized_checkpoint")}));
      return null;
    end $$;
    create or replace function onchain.announce_changes() returns trigger language plpgsql as $$
    begin
      perform set_config('${CHANGED}', 'on', true);
      if tg_table_name = 'index_changes' then
        perform pg_notify('${CHANGES_CHANNEL}', '');
      end if;
      return null;
    end $$;
    create or replace function onchain.show_checkpoint() returns trigger language plpgsql as $$
    begin
      execute format(
        'insert into %I.${VIEW_CHECKPOINT} select ($1).* on conflict (chain_name) do update
         set (safe_checkpoint, latest_checkpoint, finalized_checkpoint)
           = (excluded.safe_checkpoint, excluded.latest_checkpoint, excluded.finalized_checkpoint)',
        tg_table_schema) using new;
      return null;
    end $$;
  `);
  await grantReaders(db);
}

const READ_SERVED = statement({
  name: "served-index",
  text: `
    select s.schema, s.serves, s.generation, s.held as "retainedView", s.stale, s.reason, array(
      select nspname::text from pg_namespace
      where nspname ~ '${OWN_SCHEMAS}' and nspname is distinct from s.schema and nspname is distinct from s.serves
        and pg_get_userbyid(nspowner) = current_user) as unused
    from onchain.index_state s where s.one`,
  columns: {
    schema: nullable(text),
    serves: nullable(text),
    generation: int4,
    retainedView: bool,
    stale: bool,
    reason: nullable(text),
    unused: array(text),
  },
});

/**
 * The launcher's record of what is served and what is built.
 * `schema`: index that the served rows come from; null before the first index is published.
 * `serves`: schema that the views read now, `schema` itself or a retained copy of it.
 * `generation`: the one to run; the served one, or the next one during a re-index.
 * `unused`: the launchers' other schemas, some of which are being built.
 */
export type ServedState = Row<typeof READ_SERVED>;

export const readServed = (db: Queryable): Promise<ServedState> => READ_SERVED.one(db);

const RECORD = statement({
  name: "served-index-record",
  params: { generation: nullable(int4), stale: nullable(bool), reason: nullable(text) },
  text: `
    update onchain.index_state
    set generation = coalesce($generation, generation), stale = coalesce($stale, stale),
        reason = coalesce($reason, reason), since = now()`,
});
const NOTIFY = statement({
  name: "index-notify",
  text: `select from pg_notify('${INDEX_CHANNEL}', '')`,
});

/** Changes the fields that are given, and notifies every process that follows the index. */
export async function recordState(
  db: Queryable,
  change: { generation?: number; stale?: boolean; reason?: string },
): Promise<void> {
  await RECORD.run(db, { generation: null, stale: null, reason: null, ...change });
  await NOTIFY.run(db);
}

const TELL_INCOMPLETE = statement({
  name: "served-index-incomplete",
  params: { reason: nullable(text) },
  text: "update onchain.index_state set reason = $reason where not stale and reason is distinct from $reason",
});

/** Says what the served rows lack, or with null that they lack nothing; a stale index keeps its own reason. */
export async function recordIncomplete(db: Queryable, reason: string | null): Promise<void> {
  if ((await TELL_INCOMPLETE.run(db, { reason })) > 0) await NOTIFY.run(db);
}

/** Marks the served rows as wrong; does nothing before an index is served. */
export async function declareStale(db: Queryable, reason: string): Promise<void> {
  if ((await readServed(db)).schema !== null) await recordState(db, { stale: true, reason });
}

const RECORD_PUBLISHED = statement({
  name: "served-index-published",
  params: { schema: text },
  text: `
    update onchain.index_state
    set schema = $schema, serves = $schema, held = false, stale = false, since = now(),
        -- What an index lacks is said until the next look at the new one.
        reason = case when stale then null else reason end`,
});

/**
 * Switches the views to an index, installs the triggers that announce its blocks with changes, and records its rows as
 * current. One transaction: a reader sees all tables of the old index or all of the new one.
 * Check then write: what is served, then the views; another build may publish: one transaction.
 */
export async function publishIndex(db: pg.Client, schema: string): Promise<void> {
  await switchViews(db, async (tx) => {
    await copyCheckpoint(tx, schema);
    await pointViews(tx, schema, VIEW_CHECKPOINT);
    // A trigger on Ponder's checkpoint, as in Ponder's own views pattern: the notification leaves with the commit of the
    // block, so that a reader that it wakes finds the rows.
    await tx.query(`
      create or replace trigger onchain_announce after insert or update on "${schema}".${CHECKPOINT}
      for each row execute function onchain.announce()`);
    for (const table of await indexTables(tx, schema))
      await tx.query(`
        create or replace trigger onchain_changes after insert or update or delete on "${schema}"."${table}"
        for each statement execute function onchain.announce_changes()`);
    await RECORD_PUBLISHED.run(tx, { schema });
    await ANNOUNCE.run(tx, schema);
  });
}

const INDEX_DEFINITIONS = statement({
  name: "table-index-definitions",
  params: { schema: text, table: text },
  text: "select indexdef from pg_indexes where schemaname = $schema::text and tablename = $table::text order by indexname",
  columns: { indexdef: text },
});
const RECORD_RETAINED = statement({
  name: "served-index-retained",
  params: { serves: text },
  text: "update onchain.index_state set serves = $serves, held = true, since = now()",
});

/** Lets the planner know a table that was just filled. */
export const analyze = (tx: Queryable, schema: string, table: string) => tx.query(`analyze "${schema}"."${table}"`);

/**
 * Copies the tables of an index, with keys, indexes and statistics, and switches the views to the copy, so that readers
 * keep their rows while Ponder rolls the index back to its finalized block and forward again.
 * Call it only while no Ponder process writes to `schema`.
 */
export async function retainIndex(db: pg.Client, schema: string): Promise<void> {
  const copy = `retained_${Date.now().toString(36)}`;
  await transaction(db, async (tx) => {
    await tx.query(`create schema "${copy}"`);
    for (const table of [...(await indexTables(tx, schema)), CHECKPOINT]) {
      await tx.query(`create table "${copy}"."${table}" as table "${schema}"."${table}"`);
      for (const { indexdef } of await INDEX_DEFINITIONS.rows(tx, { schema, table }))
        await tx.query(indexdef.replace(` ON ${schema}.`, ` ON "${copy}".`));
      await analyze(tx, copy, table);
    }
  });
  await switchViews(db, async (tx) => {
    await pointViews(tx, copy, CHECKPOINT);
    await RECORD_RETAINED.run(tx, { serves: copy });
    await ANNOUNCE.run(tx, copy);
  });
}

const TRY_BUILD_LOCK = statement({
  name: "try-build-lock-in-transaction",
  params: { build: text },
  text: `select pg_try_advisory_xact_lock(${BUILD_LOCK}, hashtext($build)) as taken`,
  columns: { taken: bool },
});

/**
 * Drops indexes and retained copies that are neither served nor in `keep`. A schema that a reader uses, or whose build is
 * locked by another launcher, remains until a later call.
 * Check then write: neither served nor kept, then the drop; another build may publish: a build's lock protects its
 * schemas.
 * @param served what is served and what is there
 * @returns names of the schemas dropped
 */
export async function pruneSchemas(db: pg.Client, keep: string, { unused }: ServedState): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of unused) {
    if (name === keep) continue;
    await transaction(db, async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const build = /^(?:index|fetch)_([0-9a-f]+)_\d+$/.exec(name)?.[1];
      if (build !== undefined && !(await TRY_BUILD_LOCK.one(tx, { build: `index_${build}` })).taken) return;
      await tx.query(`drop schema "${name}" cascade`);
      dropped.push(name);
    }).catch((error) => {
      if (error.code !== LOCK_NOT_AVAILABLE) throw error;
    });
  }
  return dropped;
}

/** Drops a schema that no reader sees, with everything in it. */
export async function dropSchema(db: Queryable, schema: string): Promise<void> {
  await db.query(`drop schema if exists "${schema}" cascade`);
}

/**
 * Keeps a copy of Ponder's checkpoint for readers, written in each commit. To roll back a reorganisation Ponder locks
 * every table exclusively, its checkpoint last, and keeps the locks on the tables while it waits for the checkpoint. A
 * reader that has read the checkpoint and continues to a table would make both wait as long as further readers arrive
 * (measured under load: 75 s without an answer).
 */
async function copyCheckpoint(tx: Queryable, schema: string): Promise<void> {
  await tx.query(`
    create table if not exists "${schema}".${VIEW_CHECKPOINT} (like "${schema}".${CHECKPOINT} including all);
    create or replace trigger onchain_checkpoint after insert or update on "${schema}".${CHECKPOINT}
    for each row execute function onchain.show_checkpoint();
    delete from "${schema}".${VIEW_CHECKPOINT};
    insert into "${schema}".${VIEW_CHECKPOINT} select * from "${schema}".${CHECKPOINT}`);
}

const INDEX_TABLES = statement({
  name: "index-tables",
  params: { schema: text },
  text: `
    select tablename::text as table from pg_tables
    where schemaname = $schema::text and left(tablename, 1) <> '_' order by tablename`,
  columns: { table: text },
});

/** Tables of an index that readers may see: all but Ponder's own. */
export const indexTables = async (db: Queryable, schema: string): Promise<string[]> =>
  await INDEX_TABLES.values(db, { schema });

const VIEWS = statement({
  name: "onchain-views",
  text: "select viewname::text as view from pg_views where schemaname = 'onchain'",
  columns: { view: text },
});

/** @param checkpoint the table of the schema that is shown as the checkpoint */
async function pointViews(tx: Queryable, schema: string, checkpoint: string): Promise<void> {
  const wanted = [...(await indexTables(tx, schema)), CHECKPOINT];
  const columns = await columnsOf(tx, schema, wanted);
  const present = await VIEWS.values(tx);
  const presentColumns = await columnsOf(tx, "onchain", present);
  for (const view of present) {
    // A replaced view keeps its grants, but only a view with the same columns can be replaced.
    if (presentColumns.get(view) !== columns.get(view)) await tx.query(`drop view onchain."${view}"`);
  }
  for (const table of wanted) {
    const source = table === CHECKPOINT ? checkpoint : table;
    await tx.query(`create or replace view onchain."${table}" as select * from "${schema}"."${source}"`);
  }
  await grantReaders(tx);
}

/** Notifies the followers of the index of its block, and of changes; the payload is empty before it has a block. */
const ANNOUNCE = family({
  name: "index-announce",
  text: (schema: string) => `
    select from pg_notify('${INDEX_CHANNEL}', coalesce(
      (select substr(latest_checkpoint, 27, 16)::bigint::text from "${schema}".${CHECKPOINT} limit 1), '')) block,
      pg_notify('${CHANGES_CHANNEL}', '') changes`,
  examples: ["index_0000000000_0"],
});

/** The API and the workers run as role `app`, which may read the schema `onchain` and not write to it. */
async function grantReaders(db: Queryable): Promise<void> {
  await db.query(`
    do $$ begin
      if exists (select from pg_roles where rolname = 'app') then
        grant usage on schema onchain to app;
        grant select on all tables in schema onchain to app;
      end if;
    end $$`);
}

/** Runs a change of the views in a transaction, and again until it gets its locks. */
async function switchViews(db: pg.Client, work: (tx: Queryable) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await transaction(db, async (tx) => {
        await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await work(tx);
      });
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await new Promise((done) => setTimeout(done, LOCK_TIMEOUT_MS * (0.5 + Math.random())));
    }
  }
}
