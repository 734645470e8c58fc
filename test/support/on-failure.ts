/** What the stacks of a test said last is printed when the test fails: on another machine nobody can look at them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { runningStacks } from "../../harness/running-stacks.ts";

const LINES = 40;

const lastOf = (text: string) => text.trimEnd().split("\n").slice(-LINES).join("\n");

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const { output, logs } of runningStacks) {
    console.error(`${new Date().toISOString()} ${task.name} failed; last words of its stack:\n${lastOf(output())}`);
    for (const name of existsSync(logs) ? readdirSync(logs) : [])
      console.error(`${name}:\n${lastOf(readFileSync(join(logs, name), "utf8"))}`);
  }
});
