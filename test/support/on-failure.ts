/** What the stacks of a test said last is printed when the test fails: on another machine nobody can look at them. */
import { afterEach } from "vitest";
import { runningStacks } from "./running-stacks.ts";

const LINES = 80;

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const output of runningStacks) {
    const last = output().trimEnd().split("\n").slice(-LINES).join("\n");
    console.error(`${task.name} failed; last words of its stack:\n${last}`);
  }
});
