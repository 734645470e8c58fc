/** The standing adversary in short: forged payments and credentials, each once, beside two honest people. `npm run attack` plays everything for long. */
import { expect, inject, it } from "vitest";
import { tablesOf } from "../../harness/attack/report.ts";
import { runPhase } from "../../harness/attack/run.ts";
import { LONG } from "../../harness/patience.ts";

/** Of these none floods anything: how long honest people wait beside them says nothing. */
const NUMBERS = [1, 4, 5, 6, 16, 17];
const LIMITS = { registration: LONG, payment: LONG, other: LONG };

it("attackers get nothing and keep nobody from anything", async () => {
  const { seed } = inject("fuzz");
  const lines = [`npm run attack -- --minutes 0.1 --seed ${seed} --phase paid --numbers ${NUMBERS.join()} --people 2`];
  const report = await runPhase({
    ...{ seed, phase: "paid", seconds: 1, people: 2, attackers: 4, numbers: NUMBERS, limits: LIMITS },
    say: (line) => lines.push(line),
  }).catch((error) => {
    throw new Error(`${lines.join("\n")}\n${error}`, { cause: error });
  });
  const told = [...lines, tablesOf(report), ...report.broken].join("\n");
  expect(report.breaches, told).toEqual([]);
  expect(
    [...report.attacks].filter(([, { tried }]) => tried === 0).map(([name]) => name),
    told,
  ).toEqual([]);
});
