/** The embedded PostgreSQL, when a server of an earlier run is still there. */
import { spawn } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Postgres, removePostgres, startPostgres } from "../../devnet/postgres.ts";
import { scratchDirectory } from "../../harness/scratch.ts";

/** Longer than one question waits for its answer. */
const BUSY_MS = 3_500;

let directory: string;
let dataDir: string;
let server: Postgres;
beforeEach(async () => {
  directory = scratchDirectory("postgres");
  // As a private home: the cluster of root's is moved.
  chmodSync(directory, 0o700);
  dataDir = join(directory, "pg");
  server = await startPostgres({ dataDir, fast: true });
});
afterEach(async () => {
  await removePostgres(dataDir);
  rmSync(directory, { recursive: true, force: true });
});

it("one that is too busy to answer at once is used", async () => {
  process.kill(server.pid, "SIGSTOP");
  const second = startPostgres({ dataDir, fast: true });
  try {
    expect(await Promise.race([second, setTimeout(BUSY_MS, "waits")])).toBe("waits");
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  expect(await second).toMatchObject({ reused: true, pid: server.pid, port: server.port });
});

it("one that is shutting down is waited for", async () => {
  const stopped = server.stop();
  const second = await startPostgres({ dataDir, fast: true });
  await stopped;
  expect(second.reused).toBe(false);
  expect(second.pid).not.toBe(server.pid);
});

it("another program that has its number by now is not waited for", async () => {
  await server.stop();
  const other = spawn("sleep", ["60"]);
  writeFileSync(join(dataDir, "postmaster.pid"), [other.pid, dataDir, 0, server.port, "", "", "", ""].join("\n"));
  const second = await startPostgres({ dataDir, fast: true }).finally(() => other.kill());
  expect(second.reused).toBe(false);
});
