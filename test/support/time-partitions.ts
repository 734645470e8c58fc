/** Tables in parts by time, as tests look at them, and the service's tables as a former version left them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSequencingDue, sequenceEvents } from "../../db/events/event-sequence.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { type TestDatabase, testDatabase } from "./database.ts";

/** What gives up a lock is tried again, as by the next run of a job. */
export const patiently = (work: () => Promise<unknown>): Promise<unknown> =>
  work().catch((error) => {
    if (error.code === "55P03") return patiently(work);
    throw error;
  });

/** Names of a table's parts, without the table's own. */
export async function partsOf(db: TestDatabase, table: string): Promise<string[]> {
  const parts = await db.rows<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
    [`offchain.${table}`],
  );
  return parts.map(({ name }) => name.replace(`offchain.${table}_`, ""));
}

/** Gives every event its place. */
export async function sequenced({ pool }: TestDatabase): Promise<void> {
  while (await isSequencingDue(pool)) await transaction(pool, (tx) => sequenceEvents(tx, new Date(0)));
}

/** A database after all migrations and before the triggers, which `upgrade` brings as every start does. */
export async function formerDatabase() {
  const database = await testDatabase({ migrated: false });
  const run = (path: string) => database.pool.query(readFileSync(join(PROJECT_ROOT, "db", path), "utf8"));
  const files = readdirSync(join(PROJECT_ROOT, "db/migrations")).filter((name) => name.endsWith(".sql"));
  for (const file of files.toSorted()) await run(`migrations/${file}`);
  return Object.assign(database, { upgrade: () => run("triggers.sql") });
}
