/** The embedded PostgreSQL, when a server of an earlier run is still there. */
import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Postgres, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { isAlive } from "../../devnet/start-program.ts";
import { folderPerFile } from "../support/folders.ts";

const directory = folderPerFile("postgres");
// As a private home: the cluster of root's is moved.
chmodSync(directory, 0o700);
const dataDir = join(directory, "pg");
let server: Postgres;
beforeEach(async () => {
  server = await startPostgres({ dataDir, fast: true });
});
afterEach(() => removePostgres(dataDir));

it("one that still runs is ended, and one that is shutting down is waited for", async () => {
  const second = await startPostgres({ dataDir, fast: true });
  expect(isAlive(server.pid)).toBe(false);
  const stopped = second.stop();
  const third = await startPostgres({ dataDir, fast: true });
  await stopped;
  expect(new Set([server.pid, second.pid, third.pid]).size).toBe(3);
});

it("another program that has its number by now is not waited for", async () => {
  await server.stop();
  const other = spawn("sleep", ["60"]);
  writeFileSync(join(dataDir, "postmaster.pid"), [other.pid, dataDir, 0, server.port, "", "", "", ""].join("\n"));
  await startPostgres({ dataDir, fast: true });
  expect(isAlive(other.pid!)).toBe(true);
  other.kill();
});
