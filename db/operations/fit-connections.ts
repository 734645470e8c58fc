/** Fits a process to the connections that the server allows: asked once, at its start. */
import { type ConnectionRole, fitConnections } from "../../core/operations/connection-plan.ts";
import { openClient } from "../sql/connect.ts";
import { int4, statement } from "../sql/statement.ts";

/** Slots that this role may not use; `reserved_connections` exists since Postgres 16. */
export const RESERVED = `(
  select case when rolsuper then 0
    else current_setting('superuser_reserved_connections')::int4
      + coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int4 end
  from pg_roles where rolname = current_user)`;
/** Connections to other databases than the service's. */
export const FOREIGN = `(
  select count(*)::int4 from pg_stat_activity where datname <> current_database() and usesysid is not null)`;

const ROOM = statement({
  name: "server-room",
  text: `
    select current_setting('max_connections')::int4 as "maxConnections", ${RESERVED} as reserved, ${FOREIGN} as foreign`,
  columns: { maxConnections: int4, reserved: int4, foreign: int4 },
});

/** The server has too few connections for the service. */
export class TooFewConnections extends Error {}

/**
 * The size of an API's pool from which those of all processes follow, by what the server allows. A server that cannot be
 * asked now gets what was asked for, and says itself what is too much (db/sql/turn-pool.ts).
 * @param asked DATABASE_POOL @param warn gets the sentence that says what is slower
 * @throws TooFewConnections, one sentence that says what to set
 */
export async function fittedPool(
  connectionString: string,
  role: ConnectionRole,
  asked: number,
  warn: (sentence: string) => void,
): Promise<number> {
  const client = openClient({ connectionString, application_name: role });
  client.on("error", () => {});
  const room = await client
    .connect()
    .then(() => ROOM.one(client))
    .catch(() => null)
    .finally(() => client.end().catch(() => {}));
  if (room === null) return asked;
  const fitted = fitConnections(role, asked, room);
  if ("refusal" in fitted) throw new TooFewConnections(fitted.refusal);
  if (fitted.slower !== null) warn(fitted.slower);
  return fitted.pool;
}
