/** `npm run soak [-- --minutes 60 --rate 40 --warm-up 5 --out file]`: the local stack under mixed traffic for the given minutes; prints a table of the values that grew. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { soak } from "../bench/soak/soak.ts";
import { tableOf } from "../bench/soak/verdict.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "40" },
    "warm-up": { type: "string", default: "5" },
    out: { type: "string", default: ".data/soak.json" },
  },
});
const number = (name: "minutes" | "rate" | "warm-up") => {
  const value = Number(values[name]);
  if (value > 0) return value;
  console.error(`--${name} takes a number above 0.`);
  process.exit(1);
};
const seconds = number("minutes") * 60;
const report = await soak({
  seconds,
  perSecond: number("rate"),
  warmUp: { seconds: number("warm-up") * 60, times: 4 },
  readers: 20,
  sampleEverySeconds: Math.min(30, seconds / 24),
  reorgEverySeconds: Math.min(180, seconds / 4),
  say: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
});
mkdirSync(dirname(values.out), { recursive: true });
writeFileSync(values.out, `${JSON.stringify(report, null, 1)}\n`);
const { verdict, tally, events, reorganisations, agents, machine, restarts, uncaught } = report;
console.log(`\n${JSON.stringify(tally.answers, null, 1)}`);
for (const line of [...tally.troubles, ...restarts, ...uncaught]) console.log(line);
console.log(
  `\n${agents} agents registered, ${events} events read, ${reorganisations} reorganisations; load of the machine ${machine.loadAtStart.toFixed(1)} to ${machine.loadAtEnd.toFixed(1)}\n`,
);
console.log(tableOf(verdict));
console.log(`\n${verdict.pass ? "met" : "NOT met"}; all samples in ${values.out}`);
process.exit(verdict.pass ? 0 : 1);
