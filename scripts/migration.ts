/**
 * `npm run migration -- <name>`: writes the next migration, which is what db/schema/tables.ts says beyond the last one, with its
 * snapshot and its line in the journal. `--custom` writes an empty one, for statements that do not follow from the
 * schema, such as emptying a table. Functions, triggers and first rows are changed in db/triggers.sql instead.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { custom: { type: "boolean" } } });
const [name] = positionals;
if (positionals.length !== 1 || !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name!)) {
  console.error("Usage: npm run migration -- <name_in_snake_case> [--custom]");
  process.exit(1);
}

// drizzle-kit asks on the terminal whether a column that is gone and a new one are the same column, renamed.
const { status } = spawnSync(
  process.execPath,
  [join(ROOT, "node_modules/drizzle-kit/bin.cjs"), "generate", "--name", name!, ...(values.custom ? ["--custom"] : [])],
  { cwd: ROOT, stdio: "inherit" },
);
process.exit(status ?? 1);
