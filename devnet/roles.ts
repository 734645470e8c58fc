/** The database roles of the local stack: `indexer` owns what the chain says, `app` writes the rest and only reads the chain's. */
import { openClient } from "../db/sql/connect.ts";

/** Creates or updates the roles. @returns their URLs */
export async function ensureRoles(adminUrl: string): Promise<{ indexerUrl: string; appUrl: string }> {
  const client = openClient({ connectionString: adminUrl });
  await client.connect();
  const database = client.escapeIdentifier(new URL(adminUrl).pathname.slice(1));
  try {
    for (const role of ["indexer", "app"]) {
      const { rowCount } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
      await client.query(`${rowCount ? "alter" : "create"} role ${role} login password '${role}'`);
      // The indexer makes its schemas, the queue its own; neither owns the other's.
      await client.query(`grant connect, create, temporary on database ${database} to ${role}`);
    }
  } finally {
    await client.end();
  }
  const as = (role: string) => {
    const url = new URL(adminUrl);
    url.username = role;
    url.password = role;
    return url.href;
  };
  return { indexerUrl: as("indexer"), appUrl: as("app") };
}
