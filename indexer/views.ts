/** The constant schema `onchain`: which tables its views show, and the one-transaction switches between them. */
import type pg from "pg";
import { INDEX_CHANNEL } from "../db/index-state.ts";
import { ADVISORY_LOCKS } from "../db/locks.ts";

/** The launcher's own record of what is served and what is being built. */
export type ServedState = {
  /** Index schema the served rows come from; null before the first index is published. */
  schema: string | null;
  /** Schema the views read at this moment: `schema` itself, or a held copy of it. */
  serves: string | null;
  /** Generation to run: the served one, or the next one while a re-index is under way. */
  generation: number;
  held: boolean;
  stale: boolean;
  reason: string | null;
};

/** Schemas this launcher makes and may drop: indexes and held copies. */
const OWN_SCHEMAS = "^(index_[0-9a-f]{10}_[0-9]+|hold_[0-9a-z]+)$";

/**
 * A switch takes exclusive locks on the views. It gives up long before Postgres would look for deadlocks (1 s), so
 * that a slow reader is never the one that gets an error; the caller tries again.
 */
const SWITCH_LOCK_TIMEOUT_MS = 200;
const LOCK_NOT_AVAILABLE = "55P03";

/** Creates the schema `onchain` and its bookkeeping tables; harmless when they exist. */
export async function ensureOnchain(db: pg.ClientBase): Promise<void> {
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
    create table if not exists onchain.block_witness (
      chain_id bigint not null,
      block bigint not null,
      hash text not null,
      primary key (chain_id, block)
    );
    create or replace function onchain.announce() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${INDEX_CHANNEL}', substr(new.latest_checkpoint, 27, 16)::bigint::text);
      return null;
    end $$;
    create or replace function onchain.show_checkpoint() returns trigger language plpgsql as $$
    begin
      execute format(
        'insert into %I.${SHOWN_CHECKPOINT} select ($1).* on conflict (chain_name) do update
         set (safe_checkpoint, latest_checkpoint, finalized_checkpoint)
           = (excluded.safe_checkpoint, excluded.latest_checkpoint, excluded.finalized_checkpoint)',
        tg_table_schema) using new;
      return null;
    end $$;
  `);
  await grantReaders(db);
}

export async function readServed(db: pg.ClientBase): Promise<ServedState> {
  const { rows } = await db.query(
    "select schema, serves, generation, held, stale, reason from onchain.index_state where one",
  );
  return rows[0];
}

/** Changes the record and wakes every follower of the index. */
export async function recordState(
  db: pg.ClientBase,
  change: Partial<Pick<ServedState, "generation" | "stale" | "reason">>,
): Promise<void> {
  const columns = Object.keys(change);
  const sets = columns.map((column, i) => `${column} = $${i + 1}`);
  await db.query(`update onchain.index_state set ${sets.join(", ")}, since = now()`, Object.values(change));
  await db.query("select pg_notify($1, '')", [INDEX_CHANNEL]);
}

/** Marks what is served as wrong; before anything is served there is nothing to mark. */
export async function declareStale(db: pg.ClientBase, reason: string): Promise<void> {
  if ((await readServed(db)).schema !== null) await recordState(db, { stale: true, reason });
}

/**
 * Points the views at an index, which from then on announces every block itself, and records that its rows are
 * current. One transaction: a reader sees all tables of the old index or all of the new one.
 */
export async function publishIndex(db: pg.ClientBase, schema: string): Promise<void> {
  await switching(db, async () => {
    await showCheckpoint(db, schema);
    await pointViews(db, schema, SHOWN_CHECKPOINT);
    // The announcement is a trigger on Ponder's checkpoint, as Ponder's own views pattern does it: it leaves with the
    // commit of the block, so that a woken reader finds the rows.
    await db.query(`
      create or replace trigger onchain_announce after insert or update on "${schema}"._ponder_checkpoint
      for each row execute function onchain.announce()`);
    await db.query(
      `update onchain.index_state
       set schema = $1, serves = $1, held = false, stale = false, reason = null, since = now()`,
      [schema],
    );
    await announce(db, schema);
  });
}

/**
 * Copies the tables of an index, with keys, indexes and statistics, and points the views at the copy, so that readers
 * keep what they have while Ponder rolls the index back to its finalized block and forward again.
 * Only to be called while no Ponder process writes to `schema`.
 */
export async function holdIndex(db: pg.ClientBase, schema: string): Promise<void> {
  const copy = `hold_${Date.now().toString(36)}`;
  await transaction(db, async () => {
    await db.query(`create schema "${copy}"`);
    for (const table of [...(await indexTables(db, schema)), CHECKPOINT]) {
      await db.query(`create table "${copy}"."${table}" as table "${schema}"."${table}"`);
      const { rows } = await db.query(
        "select indexdef from pg_indexes where schemaname = $1 and tablename = $2 order by indexname",
        [schema, table],
      );
      for (const { indexdef } of rows) await db.query(indexdef.replace(` ON ${schema}.`, ` ON "${copy}".`));
      await db.query(`analyze "${copy}"."${table}"`);
    }
  });
  await switching(db, async () => {
    await pointViews(db, copy, CHECKPOINT);
    await db.query("update onchain.index_state set serves = $1, held = true, since = now()", [copy]);
    await announce(db, copy);
  });
}

/**
 * Drops indexes and held copies that are neither served nor in `keep`. A schema that a reader still uses, or whose build
 * is locked by another launcher, is left for the next call.
 * @returns names of the schemas dropped
 */
export async function pruneSchemas(db: pg.ClientBase, keep: string[]): Promise<string[]> {
  const { schema, serves } = await readServed(db);
  const kept = [...keep, schema, serves].filter((name) => name !== null);
  const { rows } = await db.query(
    `select nspname as name from pg_namespace
     where nspname ~ $1 and nspname <> all($2::text[]) and pg_get_userbyid(nspowner) = current_user`,
    [OWN_SCHEMAS, kept],
  );
  const dropped: string[] = [];
  for (const { name } of rows) {
    await transaction(db, async () => {
      await db.query(`set local lock_timeout = ${SWITCH_LOCK_TIMEOUT_MS}`);
      const build = /^(index_[0-9a-f]+)_\d+$/.exec(name)?.[1];
      if (build !== undefined) {
        const free = await db.query("select pg_try_advisory_xact_lock($1, hashtext($2)) as free", [BUILD_LOCK, build]);
        if (!free.rows[0].free) return;
      }
      await db.query(`drop schema "${name}" cascade`);
      dropped.push(name);
    }).catch((error) => {
      if (error.code !== LOCK_NOT_AVAILABLE) throw error;
    });
  }
  return dropped;
}

/** First key of the advisory lock "one launcher per build"; the second is the hash of the build's name. */
export const BUILD_LOCK = ADVISORY_LOCKS.indexBuild;

const CHECKPOINT = "_ponder_checkpoint";
const SHOWN_CHECKPOINT = "_onchain_checkpoint";

/**
 * Keeps a copy of Ponder's checkpoint for readers, written with each commit. To roll back a reorganisation Ponder takes
 * exclusive locks on every table and on its checkpoint last, and never lets go of the former while it waits for the
 * latter: a reader that has seen the checkpoint and goes on to a table would make both wait for as long as others come
 * (measured under load: 75 s without an answer).
 */
async function showCheckpoint(db: pg.ClientBase, schema: string): Promise<void> {
  await db.query(`
    create table if not exists "${schema}".${SHOWN_CHECKPOINT} (like "${schema}".${CHECKPOINT} including all);
    create or replace trigger onchain_checkpoint after insert or update on "${schema}".${CHECKPOINT}
    for each row execute function onchain.show_checkpoint();
    delete from "${schema}".${SHOWN_CHECKPOINT};
    insert into "${schema}".${SHOWN_CHECKPOINT} select * from "${schema}".${CHECKPOINT}`);
}

/** Tables of an index that readers may see: all but Ponder's own. */
async function indexTables(db: pg.ClientBase, schema: string): Promise<string[]> {
  const { rows } = await db.query(
    "select tablename from pg_tables where schemaname = $1 and left(tablename, 1) <> '_' order by tablename",
    [schema],
  );
  return rows.map((row) => row.tablename);
}

/** @param checkpoint the table of the schema that is shown as the checkpoint */
async function pointViews(db: pg.ClientBase, schema: string, checkpoint: string): Promise<void> {
  const wanted = [...(await indexTables(db, schema)), CHECKPOINT];
  const shape = await columnsOf(db, schema, wanted);
  const { rows } = await db.query("select viewname from pg_views where schemaname = 'onchain'");
  const present = rows.map((row) => row.viewname as string);
  const presentShape = await columnsOf(db, "onchain", present);
  for (const view of present) {
    // A view keeps its grants when it is replaced, but only a view of the same columns can be.
    if (presentShape.get(view) !== shape.get(view)) await db.query(`drop view onchain."${view}"`);
  }
  for (const table of wanted) {
    const source = table === CHECKPOINT ? checkpoint : table;
    await db.query(`create or replace view onchain."${table}" as select * from "${schema}"."${source}"`);
  }
  await grantReaders(db);
}

/** Names and types of the columns, in order, as one comparable text per relation. */
async function columnsOf(db: pg.ClientBase, schema: string, relations: string[]): Promise<Map<string, string>> {
  const { rows } = await db.query(
    `select c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum) as shape
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = $1 and c.relname = any($2)
     group by c.relname`,
    [schema, relations],
  );
  return new Map(rows.map((row) => [row.relname, row.shape]));
}

async function announce(db: pg.ClientBase, schema: string): Promise<void> {
  await db.query(
    `select pg_notify($1, coalesce((select substr(latest_checkpoint, 27, 16)::bigint::text from "${schema}".${CHECKPOINT} limit 1), ''))`,
    [INDEX_CHANNEL],
  );
}

/** The API and the workers run as role `app`, which may read what the chain says and nothing more. */
async function grantReaders(db: pg.ClientBase): Promise<void> {
  await db.query(`
    do $$ begin
      if exists (select from pg_roles where rolname = 'app') then
        grant usage on schema onchain to app;
        grant select on all tables in schema onchain to app;
      end if;
    end $$`);
}

/** Runs a switch of views in a transaction, again and again until it gets its locks. */
async function switching(db: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await transaction(db, async () => {
        await db.query(`set local lock_timeout = ${SWITCH_LOCK_TIMEOUT_MS}`);
        await work();
      });
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await new Promise((done) => setTimeout(done, SWITCH_LOCK_TIMEOUT_MS * (0.5 + Math.random())));
    }
  }
}

export async function transaction<T>(db: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await db.query("begin");
  try {
    const result = await work();
    await db.query("commit");
    return result;
  } catch (error) {
    await db.query("rollback").catch(() => {});
    throw error;
  }
}
