/** What the operator's commands have in common: one sentence for what went wrong, and the service's database. */
import type pg from "pg";
import { loadConfig } from "../config/config.ts";
import { withVisibleControls } from "../core/quoted.ts";
import { openClient } from "../db/sql/connect.ts";

/** Runs a command with its words. It prints an exception as a sentence, and ends the process with 1. */
export async function operatorCommand(run: (words: string[]) => Promise<void>): Promise<void> {
  try {
    await run(process.argv.slice(2));
  } catch (error) {
    console.error(withVisibleControls(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  }
}

/** @throws Error in words for the operator when there is no database, or none that answers */
export async function withDatabase(work: (db: pg.Client) => Promise<void>): Promise<void> {
  const { url } = loadConfig().database;
  if (!url) throw new Error("DATABASE_URL is not set and no local stack is running (npm start).");
  const db = openClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await db.connect();
  } catch (error) {
    throw new Error("The database cannot be reached: is the stack running?", { cause: error });
  }
  try {
    await work(db);
  } finally {
    await db.end();
  }
}
