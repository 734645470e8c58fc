/** What a process asks Postgres once, at its start: whether it takes writes, and how many connections it allows. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionRole, fitConnections, type ServerRoom } from "../../core/operations/connection-plan.ts";
import { openClient } from "../sql/connect.ts";
import { statement, t } from "../sql/statement.ts";

/** Slots that this role may not use; `reserved_connections` exists since Postgres 16. */
export const RESERVED = `(
  select case when rolsuper then 0
    else current_setting('superuser_reserved_connections')::int4
      + coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int4 end
  from pg_roles where rolname = current_user)`;
/** Connections to other databases than the service's. */
export const FOREIGN = `(
  select count(*)::int4 from pg_stat_activity where datname <> current_database() and usesysid is not null)`;

const AT_START = statement({
  name: "server-at-start",
  text: `
    select pg_is_in_recovery() as replica, current_setting('max_connections')::int4 as "maxConnections",
           ${RESERVED} as reserved, ${FOREIGN} as foreign, array(
             select case when right(name, 9) = '_launcher' then 'indexer' else split_part(name, ' ', 1) end
             from (select distinct application_name as name from pg_stat_activity where datname = current_database()) a
             where name ~ '^((api|workers|readers) |index_.*_launcher$)') as running`,
  columns: {
    ...{ replica: t.bool, maxConnections: t.int4, reserved: t.int4, foreign: t.int4 },
    running: t.array(t.narrow<ConnectionRole>(t.text)),
  },
});

/** Milliseconds in which a server may still become the primary: a process that starts in a failover may meet the old one. */
const FAILOVER_MS = 10_000;
const PAUSE_MS = 500;
/** Max milliseconds until the server says what it is; one that is away is connected to later. */
const ANSWER_MS = 5_000;

/**
 * Refuses a server that takes no writes. One that does not answer passes: what needs it says so.
 * @param variable that names it
 * @returns the connections that the server allows; null where it does not say so now
 * @throws Error, one sentence
 */
export async function requirePrimary(
  url: string,
  variable: string,
  failoverMs = FAILOVER_MS,
): Promise<ServerRoom | null> {
  const deadline = performance.now() + failoverMs;
  for (;;) {
    const server = await serverAt(url);
    if (!server?.replica) return server;
    if (performance.now() > deadline)
      throw new Error(
        `the server of ${variable} is a replica, which takes no writes: name the primary; replicas go into READ_DATABASE_URLS`,
      );
    await sleep(PAUSE_MS);
  }
}

async function serverAt(url: string): Promise<(ServerRoom & { replica: boolean }) | null> {
  const client = openClient({
    ...{ connectionString: url, application_name: "start" },
    ...{ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await AT_START.one(client);
  } catch {
    return null;
  } finally {
    // A server that fell silent acknowledges nothing.
    void client.end().catch(() => {});
  }
}

/** The server has too few connections for the service. */
export class TooFewConnections extends Error {}

/**
 * The size of an API's pool from which those of all processes follow, by what the server allows. A server that could not
 * be asked gets what was asked for, and says itself what is too much (db/sql/turn-pool.ts).
 * @param connections DATABASE_POOL @param warn gets the sentence that says what is slower
 * @throws TooFewConnections, one sentence that says what to set
 */
export function fittedPool(
  room: ServerRoom | null,
  role: ConnectionRole,
  connections: number,
  warn: (sentence: string) => void,
): number {
  if (room === null) return connections;
  const fitted = fitConnections(role, connections, room);
  if ("refusal" in fitted) throw new TooFewConnections(fitted.refusal);
  if (fitted.slower !== null) warn(fitted.slower);
  return fitted.pool;
}
