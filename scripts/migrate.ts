/** `npm run migrate`: brings the off-chain schema of the configured database up to date. */
import { loadConfig } from "../config/config.ts";
import { requirePrimary } from "../db/operations/server-at-start.ts";
import { migrate } from "../db/schema/migrate.ts";

try {
  const { database, embeddingDimensions: dimensions } = loadConfig(undefined, { of: "migration" });
  const url = database.migrationUrl;
  if (!url) throw new Error("DATABASE_URL is not set and no local stack is running");
  await requirePrimary(url, "MIGRATION_DATABASE_URL or DATABASE_URL");
  await migrate(url, { dimensions });
  console.log("The schema offchain is up to date.");
} catch (error) {
  console.error(`Cannot migrate: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
