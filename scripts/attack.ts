/**
 * `npm run attack -- [--minutes 10] [--seed N] [--phase free|paid] [--numbers 1,2] [--people 4] [--attackers 4]`: the
 * permanent adversary against its own stack, half of the time in each phase. Exits with 1 when something was obtained
 * without payment, or an honest caller was blocked.
 */
import { runPhase, tablesOf } from "../harness/attack/run.ts";
import { type Phase, settingsOf } from "../harness/attack/world.ts";
import { commandLine, refuse } from "../harness/options.ts";

const { numbers, others } = commandLine(
  {
    minutes: { absent: 10, fraction: true },
    seed: { absent: Date.now() % 2 ** 31, least: 1 },
    people: { absent: 4, least: 1 },
    attackers: { absent: 4, least: 1 },
  },
  { phase: { type: "string" }, numbers: { type: "string" } },
);
const { minutes, seed, people, attackers } = numbers;
const { phase: asked } = others;
if (asked !== undefined && asked !== "free" && asked !== "paid") refuse("--phase takes free or paid.");
const phases: readonly Phase[] = asked ? [asked as Phase] : ["free", "paid"];
const again = `npm run attack -- --minutes ${minutes} --seed ${seed}${asked ? ` --phase ${asked}` : ""}${others.numbers ? ` --numbers ${others.numbers}` : ""} --people ${people} --attackers ${attackers}`;

const reports = [];
for (const phase of phases) {
  console.log(
    `${again}\nsettings of the stack: ${Object.entries(settingsOf(phase))
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")}`,
  );
  const report = await runPhase({
    ...{ seed, phase, seconds: (minutes * 60) / phases.length, people, attackers },
    numbers: others.numbers?.split(",").map(Number),
    say: (line) => console.log(line),
  });
  console.log(`\n${tablesOf(report)}`);
  reports.push(report);
}
const breaches = reports.reduce((sum, report) => sum + report.breaches.length, 0);
console.log(
  breaches === 0 ? "no attack succeeded, no honest person was hindered" : `${breaches} breaches; again: ${again}`,
);
process.exit(breaches === 0 ? 0 : 1);
