/**
 * `npm run generate -- migration <name>`: writes the next migration, which is what db/schema/tables.ts says beyond the last one, with its
 * line in the journal, and its snapshot in place of the last one's. `--custom` writes an empty one, for statements that do not
 * follow from the schema, such as emptying a table. Functions, triggers and first rows are changed in db/triggers.sql instead.
 */
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { custom: { type: "boolean" } } });
const [name] = positionals;
if (positionals.length !== 1 || !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name!)) {
  console.error("Usage: npm run generate -- migration <name_in_snake_case> [--custom]");
  process.exit(1);
}

// drizzle-kit asks on the terminal whether a column that is gone and a new one are the same column, renamed.
const { status } = spawnSync(
  process.execPath,
  [join(ROOT, "node_modules/drizzle-kit/bin.cjs"), "generate", "--name", name!, ...(values.custom ? ["--custom"] : [])],
  { cwd: ROOT, stdio: "inherit" },
);
if (status !== 0) process.exit(status ?? 1);
// The next migration is what the schema says beyond the newest snapshot: nothing reads the others.
for (const earlier of globSync(join(ROOT, "db/migrations/meta/*_snapshot.json")).sort().slice(0, -1)) rmSync(earlier);
