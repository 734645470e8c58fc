/** What the stacks of a failed test said last is printed, and kept whole by the gate: on another machine nobody can look at them. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach } from "vitest";
import { FACTS } from "../../harness/gate/facts.ts";
import { runningStacks } from "../../harness/running-stacks.ts";

const LINES = 15;

const lastOf = (text: string) => text.trimEnd().split("\n").slice(-LINES).join("\n");

/** Left running by the files before in this worker. */
const others = new Set(runningStacks);

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const stack of runningStacks) {
    if (others.has(stack)) continue;
    const { output, logs } = stack;
    console.error(`${new Date().toISOString()} ${task.name} failed; last words of its stack:\n${lastOf(output())}`);
    if (!existsSync(logs)) continue;
    for (const name of readdirSync(logs)) console.error(`${name}:\n${lastOf(readFileSync(join(logs, name), "utf8"))}`);
    if (FACTS)
      cpSync(logs, join(dirname(FACTS), "stacks", basename(FACTS, ".jsonl"), basename(task.file.name), task.id), {
        recursive: true,
      });
  }
});
