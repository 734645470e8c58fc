/** `node scripts/run.ts <process> [arguments]`: runs one of the processes, from the build where it is fresh. For package.json. */
import { pathToFileURL } from "node:url";
import { entryOf, type ProcessName } from "../runtime/processes.ts";

const [name] = process.argv.splice(2, 1);
const file = entryOf(name as ProcessName);
process.argv[1] = file;
await import(pathToFileURL(file).href);
