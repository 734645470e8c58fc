/** The standing adversary for a minute in each phase: attackers on a few networks, everything they know, at once and at random. */
import { expect, inject, it } from "vitest";
import { tablesOf } from "../../harness/attack/report.ts";
import { runPhase } from "../../harness/attack/run.ts";

const SECONDS = 60;

it.each(["free", "paid"] as const)("attackers get nothing and keep nobody from anything in phase %s", async (phase) => {
  const { seed } = inject("fuzz");
  const lines = [`npm run attack -- --minutes ${SECONDS / 60} --seed ${seed} --phase ${phase}`];
  const report = await runPhase({
    ...{ seed, phase, seconds: SECONDS, people: 4, attackers: 4 },
    say: (line) => lines.push(line),
  }).catch((error) => {
    throw new Error(`${lines.join("\n")}\n${error}`, { cause: error });
  });
  expect(report.breaches, [...lines, tablesOf(report)].join("\n")).toEqual([]);
});
