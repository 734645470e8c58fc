/** Directories of tests: those of a run that was killed go with the next one, wherever they are, and no others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { scratchDirectory } from "../../harness/scratch.ts";

const made: string[] = [];
afterAll(() => made.forEach((path) => void rmSync(path, { recursive: true, force: true })));
const keep = (path: string) => {
  made.push(path);
  return path;
};

it("go with the run after a killed one, on the disk too, with the cluster that was moved out of them", async () => {
  const dead = spawn(process.execPath, ["--version"]);
  await once(dead, "exit");
  const moved = keep(mkdtempSync(join(tmpdir(), "moved-cluster-")));
  const orphan = keep(mkdtempSync(join(tmpdir(), `agents-killed-of-${dead.pid}-`)));
  mkdirSync(join(orphan, "postgres"));
  writeFileSync(join(orphan, "postgres/moved-to"), `${moved}\n`);
  const others = keep(mkdtempSync(join(tmpdir(), `somebody-of-${dead.pid}-`)));
  const own = keep(scratchDirectory("first", { onDisk: true }));
  expect(own).toContain(join(tmpdir(), `agents-first-of-${process.pid}-`));
  keep(scratchDirectory("second"));
  expect([orphan, moved, others, own].map((path) => existsSync(path))).toEqual([false, false, true, true]);
});
