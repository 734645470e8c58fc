/** How drizzle-kit writes migrations from db/schema/tables.ts: `npm run generate -- migration <name>`. */
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./db/schema/tables.ts",
  out: "./db/migrations",
  casing: "snake_case",
  schemaFilter: ["offchain"],
});
