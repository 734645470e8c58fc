/**
 * The standing adversary, shortly: every attack once, at random, beside honest people of a stack where things cost
 * money. `npm run attack` plays as long as it is told, in both phases.
 */
import { expect, inject, it } from "vitest";
import { tablesOf } from "../../harness/attack/report.ts";
import { runPhase } from "../../harness/attack/run.ts";

it("attackers get nothing that was not paid for, and keep nobody from anything", { timeout: 400_000 }, async () => {
  const { seed } = inject("fuzz");
  const lines = [`npm run attack -- --minutes 0.2 --seed ${seed} --phase paid`];
  const report = await runPhase({
    ...{ seed, phase: "paid", seconds: 5, people: 3, attackers: 4 },
    say: (line) => lines.push(line),
  }).catch((error) => {
    throw new Error(`${lines.join("\n")}\n${error}`, { cause: error });
  });
  expect(report.breaches, [...lines, tablesOf(report)].join("\n")).toEqual([]);
});
