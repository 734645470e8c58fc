/**
 * `npm run clients [-- word …]`: every client of harness/client-libraries/list.ts, or those whose name has one of the words, against
 * a stack of its own; prints a table of what each did. The packages are installed first, by their lockfile; with `--install` that is all.
 * `--exactly` runs the one client of that name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Client, nameOf, PACKAGES } from "../harness/client-libraries/client.ts";
import { CLIENTS } from "../harness/client-libraries/list.ts";
import { type Row, runClient, tableOf } from "../harness/client-libraries/run.ts";
import { startWorld } from "../harness/client-libraries/world.ts";
import { note } from "../harness/gate/facts.ts";
import { refuse } from "../harness/options.ts";

const { values, positionals } = parseArgs({
  options: { install: { type: "boolean" }, exactly: { type: "string" } },
  allowPositionals: true,
});
const words = positionals.map((word) => word.toLowerCase());
const selection = CLIENTS.filter((client) => {
  const name = nameOf(client);
  if (values.exactly !== undefined) return name === values.exactly;
  return words.length === 0 || words.some((word) => name.toLowerCase().includes(word));
});
if (selection.length === 0) refuse("No client of harness/client-libraries/list.ts is named so.");
/** As .ci/run installs the project itself. */
const PATIENTLY = ["--no-fund", "--no-audit", "--fetch-retries", "5", "--fetch-retry-maxtimeout", "60000"];
install();
if (values.install) process.exit();
const placeOf = (client: Client) => ({ file: nameOf(client), project: "clients" });
for (const client of selection) note({ kind: "planned", ...placeOf(client) });
console.log("Starting a stack of its own");
const world = await startWorld();
const rows: Row[] = [];
try {
  for (const client of selection) {
    const row = await runClient(client, world);
    console.log(tableOf([row]).split("\n")[1]);
    rows.push(row);
    noteRow(client, row);
  }
} finally {
  await world.stop().catch((error) => note({ kind: "error", message: String(error) }));
}
const failed = rows.filter(({ passed }) => passed === "no").length;
const unseen = rows.filter(({ passed }) => passed === "not here").length;
console.log(`\n${tableOf(rows)}\n`);
console.log(
  `${rows.length} clients: ${rows.length - failed - unseen} passed, ${unseen} not to be seen here, ${failed} failed`,
);
process.exit(failed === 0 ? 0 : 1);

/** For the gate, a client is a file with one test. */
function noteRow(client: Client, { passed, did }: Row): void {
  const state = ({ yes: "passed", no: "failed", "not here": "skipped" } as const)[passed];
  const message = state === "failed" ? { message: did } : {};
  note({ kind: "test", ...placeOf(client), test: "works unchanged", state, ...message });
  const before = rows.map((row) => row.client).slice(0, -1);
  const circumstances = { load: loadavg()[0]!, before, rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20) };
  note({ kind: "file", ...placeOf(client), state: state === "failed" ? "failed" : "passed", ...circumstances });
}

/** Nothing is done while what is installed is what the lockfile says. */
function install(): void {
  const wanted = readFileSync(join(PACKAGES, "package-lock.json"));
  const mark = join(PACKAGES, "node_modules", ".installed-lock.json");
  if (existsSync(mark) && readFileSync(mark).equals(wanted)) return;
  console.log("Installing the packages of harness/client-libraries/packages");
  const { status } = spawnSync("npm", ["ci", ...PATIENTLY], { cwd: PACKAGES, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(mark, wanted);
}
