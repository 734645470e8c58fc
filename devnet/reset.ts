/** `npm run reset`: removes the local stack's data, never anything else that lies in the directory. */
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { stopLeftoverAnvil } from "./anvil.ts";
import { dataDir, LAYOUT, runningSupervisor } from "./data-dir.ts";
import { removePostgres } from "./postgres.ts";

const directory = dataDir(loadConfig(undefined, { followStack: false }).dataDir);
if (runningSupervisor(directory)) {
  console.error(`The stack on ${directory.root} is running: stop it first (Ctrl-C).`);
  process.exit(1);
}
await removePostgres(directory.postgres);
await stopLeftoverAnvil(directory.chain);
for (const name of Object.values(LAYOUT)) rmSync(join(directory.root, name), { recursive: true, force: true });
if (existsSync(directory.root) && readdirSync(directory.root).length === 0) rmdirSync(directory.root);
console.log(`${directory.root} is reset`);
