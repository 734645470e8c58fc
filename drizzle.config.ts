/** How drizzle-kit writes the off-chain migrations from db/schema.ts (`node_modules/.bin/node node_modules/.bin/drizzle-kit generate`). */
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./db/schema.ts",
  out: "./db/migrations",
  casing: "snake_case",
  schemaFilter: ["offchain"],
});
