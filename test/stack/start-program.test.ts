/** What a process has started ends with it, however it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { isAlive } from "../../devnet/start-program.ts";
import { until } from "../../harness/until.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";

const MODULE = pathToFileURL(join(PROJECT_ROOT, "devnet/start-program.ts")).href;

/** Starts a program, and one that starts another in its group and does not end by a request. */
const PARENT = `
  import { startProgram } from ${JSON.stringify(MODULE)};
  const plain = startProgram("sleep", ["600"]);
  const leader = startProgram("/bin/sh", ["-c", "trap '' TERM; sleep 600 & echo $!; wait"], {
    endSignal: "SIGKILL",
    wholeGroup: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  leader.stdout.once("data", (member) => console.log(JSON.stringify([plain.pid, leader.pid, Number(member)])));
  process.on("SIGUSR2", () => process.exit(3));
  setInterval(() => {}, 60_000);`;

const pids: number[] = [];
let parent: ChildProcess | undefined;
afterEach(() => {
  parent?.kill("SIGKILL");
  for (const pid of pids.splice(0).filter(isAlive)) process.kill(pid, "SIGKILL");
});

it.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"] as const)("after %s", async (signal) => {
  parent = spawn(process.execPath, ["--input-type=module", "--eval", PARENT], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: parent.stdout! }), "line");
  pids.push(...(JSON.parse(line) as number[]));
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  parent.kill(signal);
  await until("everything that it started has ended", () => !pids.some(isAlive));
});
