/** `npm run trial -- soak [--minutes 60 --rate 40 --warm-up 5 --out file]`: the local stack under mixed traffic for the given minutes; prints a table of the values that grew. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { soak } from "../bench/soak/soak.ts";
import { tableOf } from "../bench/soak/verdict.ts";
import { commandLine } from "../harness/options.ts";

const { numbers, others } = commandLine(
  {
    minutes: { absent: 60, fraction: true },
    rate: { absent: 40, fraction: true },
    "warm-up": { absent: 5, fraction: true },
  },
  { out: { type: "string" } },
);
const { out = ".data/soak.json" } = others;
const seconds = numbers.minutes * 60;
const report = await soak({
  seconds,
  perSecond: numbers.rate,
  warmUp: { seconds: numbers["warm-up"] * 60, times: 4 },
  readers: 20,
  sampleEverySeconds: Math.min(30, seconds / 24),
  reorgEverySeconds: Math.min(180, seconds / 4),
  say: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
});
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`);
const { verdict, tally, events, reorganisations, agents, machine, restarts, uncaught } = report;
console.log(`\n${JSON.stringify(tally.answers, null, 1)}`);
for (const line of [...tally.troubles, ...restarts, ...uncaught]) console.log(line);
console.log(
  `\n${agents} agents registered, ${events} events read, ${reorganisations} reorganisations; load of the machine ${machine.loadAtStart.toFixed(1)} to ${machine.loadAtEnd.toFixed(1)}\n`,
);
console.log(tableOf(verdict));
console.log(`\n${verdict.pass ? "met" : "NOT met"}; all samples in ${out}`);
process.exit(verdict.pass ? 0 : 1);
