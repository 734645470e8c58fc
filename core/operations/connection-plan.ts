/** How many connections to Postgres each process takes, so that all of them fit what the server allows. */

export const LEFT_OUT = [
  /** It does not answer, or another server answers in its place. */
  "unreachable",
  /** It accepts writes: it was promoted, or never was a replica. */
  "not_a_replica",
  "other_cluster",
  "other_timeline",
  /** It has replayed what the primary never wrote: its history is another one. */
  "ahead_of_primary",
  /** Its replay was paused by an operator. */
  "paused",
  "lagging",
] as const;

export type LeftOut = (typeof LEFT_OUT)[number];

export type ConnectionRole = "api" | "workers" | "readers" | "indexer";

/** The server as a process finds it. */
export type ServerRoom = {
  maxConnections: number;
  /** Of those, for roles other than ours. */
  reserved: number;
  /** Of those, in use by other than this service. */
  foreign: number;
  /** Processes of this service that have connections, one entry each. */
  running: readonly ConnectionRole[];
};

/** Connections beside the pools: to listen, to hold a lock, to follow a table, and for the queue. */
const BESIDE = { api: 5, workers: 3, readers: 2, indexer: 3 };
/** The smallest pool: a transaction beside everything else. */
const LEAST_POOL = 2;

/** Connections of each process's pool. @param pool that of an API, `DATABASE_POOL` */
export const poolsOf = (pool: number): Record<ConnectionRole, number> => ({
  api: pool,
  workers: Math.max(LEAST_POOL, Math.ceil(pool / 2)),
  readers: Math.max(LEAST_POOL, Math.ceil(pool / 4)),
  // Ponder divides it among writing, fetching and answering.
  indexer: 3 * Math.max(1, Math.round(pool * 0.6)),
});

/** Connections of the processes that run, and of at least one each of API, workers, readers and indexer. */
export function connectionsOf(pool: number, running: readonly ConnectionRole[] = []): number {
  const roles = Object.entries(poolsOf(pool)) as [ConnectionRole, number][];
  const processes = (role: ConnectionRole) => Math.max(1, running.filter((one) => one === role).length);
  return roles.reduce((sum, [role, size]) => sum + processes(role) * (size + BESIDE[role]), 0);
}

const SLOWER: Record<ConnectionRole, string> = {
  api: "requests wait longer for each other",
  workers: "fewer jobs run at once",
  readers: "fewer documents are read at once",
  indexer: "a backfill takes longer",
};

/** The size of an API's pool, from which all others follow; `slower` says what it costs where it is smaller than asked for. */
export type Fitted = { pool: number; slower: string | null };

/**
 * Fits a process to the server. Each leaves the others their part, so the order of their starts does not matter.
 * @param size `DATABASE_POOL` @returns the sentence of a refusal where the service does not fit at all
 */
export function fitConnections(role: ConnectionRole, size: number, server: ServerRoom): Fitted | { refusal: string } {
  const { maxConnections, reserved, foreign, running } = server;
  const usable = maxConnections - reserved;
  const least = connectionsOf(LEAST_POOL);
  if (usable < least)
    return {
      refusal: `Postgres allows this service ${usable} connections (max_connections ${maxConnections}, reserved ${reserved}), and it needs at least ${least}. Set max_connections to ${least + reserved} or more.`,
    };
  let pool = size;
  // Others may end any time: they make it smaller, and never too small to start.
  while (pool > LEAST_POOL && connectionsOf(pool, [...running, role]) > usable - foreign) pool--;
  if (pool === size) return { pool, slower: null };
  const [fitted, wished] = [poolsOf(pool)[role], poolsOf(size)[role]];
  const words = `Postgres allows this service ${usable - foreign} connections (max_connections ${maxConnections}, reserved ${reserved}, used by others ${foreign})`;
  return { pool, slower: `${words}: the pool has ${fitted} in place of ${wished}, so ${SLOWER[role]}.` };
}
