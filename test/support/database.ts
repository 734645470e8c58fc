/** Databases of their own for tests: copies of the migrated template, made in milliseconds. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { ensureDatabase } from "../../devnet/postgres.ts";

export type TestDatabase = {
  url: string;
  pool: pg.Pool;
  /** Closes the pool and removes the database, ending other sessions. */
  drop(): Promise<void>;
};

/** A fresh database with the offchain schema; `migrated: false` gives an empty one. */
export async function testDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const url = await ensureDatabase(server, name, migrated ? "template_migrated" : undefined);
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on("error", () => {});
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      const admin = new pg.Client({ connectionString: server });
      await admin.connect();
      await admin.query(`drop database if exists "${name}" with (force)`);
      await admin.end();
    },
  };
}
