/** `npm start`: builds what runs where the build is not fresh, then starts the local stack (devnet/start.ts). */
import { pathToFileURL } from "node:url";
import { buildIsFresh, entryOf } from "../runtime/processes.ts";
import { buildWhenStale } from "./build.ts";

if (!buildIsFresh()) {
  const started = performance.now();
  if (await buildWhenStale()) console.log(`Built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}
const file = entryOf("stack");
// In place of this process: Node's reader of types and what the build took are kept for as long as a process lives.
if (process.execve && process.platform !== "win32")
  process.execve(process.execPath, [
    ...[process.execPath, ...process.execArgv, "--max-semi-space-size=2"],
    ...[file, ...process.argv.slice(2)],
  ]);
process.argv[1] = file;
await import(pathToFileURL(file).href);
