/** SQL about the write-ahead log (WAL): positions of the primary and of a replica, and which cluster a server is of. */
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";

const PRIMARY = statement({
  name: "wal-primary-position",
  text: `
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as position,
           current_setting('wal_block_size')::int4 as block`,
  columns: { position: t.numeric, block: t.int4 },
  prepared: true,
});

/** Sizes of the header of a page of the WAL, and of the first page of a file (access/xlog_internal.h). */
const PAGE_HEADERS = new Set([24n, 40n]);

/**
 * The end of the primary's WAL, in bytes: every commit that a statement before this one could see ends there or before,
 * with any value of `synchronous_commit`. Between two records the server's position may be behind the header of a page to
 * which nothing was written; a replica's position is then the beginning of that page.
 */
export async function primaryPosition(db: Queryable): Promise<bigint> {
  const { position, block } = await PRIMARY.one(db);
  const at = BigInt(position);
  const inPage = at % BigInt(block);
  return PAGE_HEADERS.has(inPage) ? at - inPage : at;
}

/**
 * Writes out the primary's WAL as far as it goes, which its replicas then receive. Commits that do not wait for the disk
 * (`synchronous_commit = off`, as the indexer's) are otherwise written up to 200 ms later.
 */
export const flushPrimary = statement({
  name: "wal-flush",
  // A transaction that wrote nothing would not wait for the disk.
  text: `
    select set_config('synchronous_commit', 'local', true) as waits,
           pg_logical_emit_message(true, 'agents', '')::text as position`,
  columns: { waits: t.text, position: t.text },
}).one;

/** SQL that identifies one run of one server: when it was started, and when it last crashed. */
const RUN = "concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())";

/** Where a replica is: which run of which server answered, and how far it has replayed; null when it is no replica. */
export const replicaPosition = statement({
  name: "wal-replica-position",
  text: `
    select ${RUN} as server,
           case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end as replayed`,
  columns: { server: t.text, replayed: t.nullable(t.uint256) },
  prepared: true,
}).one;

/** Identifies one run of one server. */
export const serverOf = statement({
  name: "wal-server",
  text: `select ${RUN} as server`,
  columns: { server: t.text },
}).onlyValue;

/** Which history a server has: its cluster, its timeline, and how far it is on it, in bytes. */
export const serverIdentity = statement({
  name: "wal-identity",
  text: `
    select ${RUN} as server, s.system_identifier::text as cluster,
           pg_is_in_recovery() as "isReplica",
           case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as paused,
           case when pg_is_in_recovery() then greatest(c.timeline_id, coalesce(r.min_recovery_end_timeline, 0))
             else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int4 end as timeline,
           case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')
             else pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') end as position
    from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`,
  columns: {
    server: t.text,
    cluster: t.text,
    isReplica: t.bool,
    /** Its replay was paused by an operator. */
    paused: t.bool,
    timeline: t.int4,
    position: t.uint256,
  },
}).one;
export type ServerIdentity = Row<typeof serverIdentity>;
