/** What the doctor reads of a Postgres server and of the index: settings, rights, and rows that show a fault. Nothing is written. */
import { SESSION_SETTINGS } from "../sql/session-settings.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { FOREIGN, RESERVED } from "./server-at-start.ts";

/** Settings of the server that decide whether the service is safe and fits. */
export const serverSettings = statement({
  name: "server-settings",
  text: `
    select current_setting('server_version') as version, current_setting('server_version_num')::int4 as "versionNumber",
           current_setting('max_connections')::int4 as "maxConnections",
           ${RESERVED} as "reservedConnections",
           ${FOREIGN} as "foreignConnections",
           current_setting('wal_level') as "walLevel", current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('full_page_writes') as "fullPageWrites",
           current_setting('TimeZone') as "timeZone",
           (select pg_encoding_to_char(encoding)::text from pg_database where datname = current_database()) as encoding,
           pg_is_in_recovery() as "isReplica",
           clock_timestamp() as now`,
  columns: {
    version: t.text,
    versionNumber: t.int4,
    maxConnections: t.int4,
    reservedConnections: t.int4,
    foreignConnections: t.int4,
    walLevel: t.text,
    fsync: t.text,
    synchronousCommit: t.text,
    fullPageWrites: t.text,
    timeZone: t.text,
    encoding: t.text,
    isReplica: t.bool,
    now: t.timestamptz,
  },
}).one;

const SESSION = statement({
  name: "server-session",
  params: { names: t.array(t.text) },
  text: `
    select array(select current_setting(name) from unnest($names::text[]) name) as made,
           array(select unnest(setconfig) from pg_db_role_setting
                 where setdatabase in (0, (select oid from pg_database where datname = current_database()))
                   and setrole in (0, (select oid from pg_roles where rolname = current_user))) as configured,
           current_setting('transaction_timeout', true) as "transactionTimeout"`,
  columns: { made: t.array(t.text), configured: t.array(t.text), transactionTimeout: t.nullable(t.text) },
});

/** The settings that a session has, and those that its role and its database were given, as `name=value`. */
export async function sessionSettings(db: Queryable) {
  const names = Object.keys(SESSION_SETTINGS);
  const { made, ...rest } = await SESSION.one(db, { names });
  return { ...rest, made: Object.fromEntries(names.map((name, i) => [name, made[i]])) };
}

/** The schema in which an extension is installed in the database, and whether the server has it at all. */
export const extensionState = statement({
  name: "server-extension",
  params: { name: t.text },
  text: `
    select (select extnamespace::regnamespace::text from pg_extension where extname = $name::text) as schema,
           exists (select from pg_available_extensions where name = $name::text) as available`,
  columns: { schema: t.nullable(t.text), available: t.bool },
}).one;

/** What the role of a connection may do with the schemas of the service. */
export const rightsOf = statement({
  name: "server-rights",
  text: `
    select current_user::text as role,
           has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
           to_regnamespace('offchain') is not null as "hasOffchain",
           coalesce(has_schema_privilege(to_regnamespace('offchain'), 'usage'), false) as "seesOffchain",
           coalesce((select has_table_privilege(c.oid, 'insert') from pg_class c
             where c.relnamespace = to_regnamespace('offchain') and c.relname = 'cred'), false) as "writesOffchain",
           to_regnamespace('onchain') is not null as "hasOnchain",
           coalesce(has_schema_privilege(to_regnamespace('onchain'), 'usage'), false) as "seesOnchain",
           coalesce(has_schema_privilege(to_regnamespace('onchain'), 'create'), false) as "writesOnchain"`,
  columns: {
    role: t.text,
    mayCreateSchemas: t.bool,
    hasOffchain: t.bool,
    seesOffchain: t.bool,
    writesOffchain: t.bool,
    hasOnchain: t.bool,
    seesOnchain: t.bool,
    writesOnchain: t.bool,
  },
}).one;

/** Holders of the service token whose balance is below 0: a transfer before the start block is not indexed. */
export const negativeBalances = statement({
  name: "negative-balances",
  text: `
    select count(*) as holders, min(balance_units) as lowest,
           (array_agg(holder order by balance_units))[1] as example
    from onchain.service_token_balance where balance_units < 0`,
  columns: { holders: t.int8, lowest: t.nullable(t.numeric), example: t.nullable(t.text) },
}).one;

/** The first five tokens that have no URI, or whose URI was never read. */
export const sampleWithoutUri = statement({
  name: "tokens-without-uri-sample",
  text: `
    select a.token_id from onchain.agent a left join offchain.token_uri u using (token_id)
    where u.state is null or u.state not in ('set', 'own')
    order by a.token_id limit 5`,
  columns: { token_id: t.int8 },
}).values;

/** Transactions under way, and those that were wanted before a time. */
export const transactionsUnderWay = statement({
  name: "stuck-transactions",
  params: { before: t.timestamptz },
  text: `
    select count(*) filter (where state = 'signed') as signed, count(*) filter (where state = 'queued') as queued,
           count(*) filter (where state in ('queued', 'signed') and not waits and created_at < $before) as old
    from offchain.transaction_outbox where state in ('queued', 'signed')`,
  columns: { signed: t.int8, queued: t.int8, old: t.int8 },
}).one;
