/** Storage: Postgres, Redis, memory. */
import { z } from "zod";
import { duration, integer, list, postgresUrl, snapshotPlace, url } from "./checks.ts";
import { PROCESSES, type ValuesOf, type Variable, variable } from "./variable.ts";

/** Variables of `Storage` in `.env.example`. */
export const STORAGE = {
  DATABASE_URL: variable(
    PROCESSES,
    "Postgres of the API and the workers (unset: the local stack's embedded one)",
    postgresUrl,
  ),
  INDEXER_DATABASE_URL: variable(
    ["indexer"],
    "Postgres as the role that owns the onchain schemas (default DATABASE_URL)",
    postgresUrl,
  ),
  MIGRATION_DATABASE_URL: variable(
    ["migration"],
    "Postgres as the role that migrates the offchain schema (default DATABASE_URL)",
    postgresUrl,
  ),
  READ_DATABASE_URLS: variable(
    ["api"],
    "Streaming replicas of that Postgres which take the API's reads, comma list; one URL per server, never the address of a balancer",
    list(postgresUrl),
    "",
  ),
  READ_REPLICA_LAG_MS: variable(
    ["api"],
    "Max milliseconds a read waits for a replica to have what the primary has; one further behind is left out",
    integer(1, 10_000),
    "100",
  ),
  DATABASE_POOL: variable(
    ["api", "workers", "indexer"],
    "Max connections of an API's pool; the pools of workers and indexer follow from it, and all are smaller where Postgres allows fewer",
    integer(2, 200),
    "10",
  ),
  DATABASE_LISTS: variable(
    ["api"],
    "Connections of the API's pool, and of its pool to each replica, that lists and searches by SQL may hold at once: fewer than the cores of the database leave one to everything else; DATABASE_POOL or more = no limit",
    integer(1, 200),
    "3",
  ),
  LIST_MEMORY_MB: variable(
    ["api"],
    "Max megabytes of the API's column tables of agents and directory, which answer lists and searches from memory; a table that does not fit, and every table with 0, is answered by SQL",
    integer(0, 65_536),
    "512",
  ),
  REDIS_URL: variable(
    ["api", "workers"],
    "Redis for the queue and the rate limits (unset: the queue lives in Postgres, limits in memory)",
    url("redis:", "rediss:"),
  ),
  QUEUE_PREFIX: variable(
    ["api", "workers"],
    "Prefix of queue names, to share one Redis between deployments",
    z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -"),
    "agents",
  ),
  SNAPSHOT_FOLDER: variable(
    ["api", "workers"],
    "Folder of the daily snapshots of all that is public, which the workers write and the API serves, or a bucket that speaks S3: s3://KEY:SECRET@host/bucket/path?region=…, s3+http:// without TLS; for a bucket they are made in TMPDIR (unset: none are made)",
    snapshotPlace,
  ),
  SNAPSHOT_RETENTION: variable(["workers"], "How long snapshots are kept; the newest one always is", duration, "14d"),
} satisfies Record<string, Variable>;

/** Options of `database`, `listMemoryBytes`, `redisUrl`, `queuePrefix`, `snapshots` in the configuration. */
export function storageConfig(v: ValuesOf<typeof STORAGE>) {
  return {
    database: {
      url: v.DATABASE_URL,
      indexerUrl: v.INDEXER_DATABASE_URL ?? v.DATABASE_URL,
      migrationUrl: v.MIGRATION_DATABASE_URL ?? v.DATABASE_URL,
      pool: v.DATABASE_POOL,
      lists: v.DATABASE_LISTS,
      replicas: { urls: v.READ_DATABASE_URLS, maxLagMs: v.READ_REPLICA_LAG_MS },
    },
    /** Max bytes of the API's column tables; 0 = the API keeps none. */
    listMemoryBytes: v.LIST_MEMORY_MB * 2 ** 20,
    redisUrl: v.REDIS_URL,
    queuePrefix: v.QUEUE_PREFIX,
    /** Undefined place: no snapshots. */
    snapshots: { place: v.SNAPSHOT_FOLDER, retentionMs: v.SNAPSHOT_RETENTION },
  };
}
