/**
 * `npm run attack -- [--minutes 10] [--seed N] [--phase free|paid] [--numbers 1,2] [--people 4] [--attackers 4]`: the
 * permanent adversary against its own stack, half of the time in each phase. Exits with 1 when something was obtained
 * without payment, or an honest caller was blocked.
 */
import { parseArgs } from "node:util";
import { tablesOf } from "../harness/attack/report.ts";
import { runPhase } from "../harness/attack/run.ts";
import { type Phase, settingsOf } from "../harness/attack/world.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    phase: { type: "string" },
    numbers: { type: "string" },
    people: { type: "string", default: "4" },
    attackers: { type: "string", default: "4" },
  },
});
const refuse = (sentence: string): never => {
  console.error(sentence);
  process.exit(1);
};
const number = (name: "minutes" | "seed" | "people" | "attackers", whole = true) => {
  const value = Number(values[name]);
  return value > 0 && (!whole || Number.isSafeInteger(value)) ? value : refuse(`--${name} takes a number above 0.`);
};
const { phase: asked } = values;
if (asked !== undefined && asked !== "free" && asked !== "paid") refuse("--phase takes free or paid.");
const phases: readonly Phase[] = asked ? [asked as Phase] : ["free", "paid"];
const minutes = number("minutes", false);
const seed = number("seed");
const again = `npm run attack -- --minutes ${minutes} --seed ${seed}${asked ? ` --phase ${asked}` : ""}${values.numbers ? ` --numbers ${values.numbers}` : ""} --people ${number("people")} --attackers ${number("attackers")}`;

let close: (() => Promise<void>) | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void (close ?? (async () => {}))().finally(() => process.exit(1)));

const reports = [];
for (const phase of phases) {
  console.log(
    `${again}\nsettings of the stack: ${Object.entries(settingsOf(phase))
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")}`,
  );
  const report = await runPhase({
    ...{
      seed,
      phase,
      seconds: (minutes * 60) / phases.length,
      people: number("people"),
      attackers: number("attackers"),
    },
    numbers: values.numbers?.split(",").map(Number),
    say: (line) => console.log(line),
    onWorld: (end) => {
      close = end;
    },
  });
  console.log(`\n${tablesOf(report)}`);
  reports.push(report);
}
const breaches = reports.reduce((sum, report) => sum + report.breaches.length, 0);
console.log(
  breaches === 0 ? "nothing was got, nobody was kept from anything" : `${breaches} breaches; again: ${again}`,
);
process.exit(breaches === 0 ? 0 : 1);
