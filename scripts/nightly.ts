/**
 * `npm run nightly [-- word… --short]`: whatever takes long, draws at random or judges real time, one after the other, each
 * on a seed of its own; words pick some by their names. Exits with 1 when one failed.
 */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { childEnvironment } from "../config/config.ts";
import { attempt } from "../devnet/attempt.ts";
import { startProgram } from "../devnet/start-program.ts";
import { refuse } from "../harness/options.ts";

/** `seed`: how a part takes its seed, where it has one. What is not over within its minutes is ended, with all it started. */
type Part = { run: string; long?: string; short?: string; seed?: "option" | "variable"; minutes: number };

const PARTS: Record<string, Part> = {
  storm: { run: "npm run trial -- storm", long: "--payments 200", short: "--payments 12", seed: "option", minutes: 60 },
  attack: { run: "npm run attack --", long: "--minutes 10", short: "--minutes 0.5", seed: "option", minutes: 40 },
  load: { run: "npm run trial -- load", short: "--short", minutes: 30 },
  soak: { run: "npm run trial -- soak", long: "--minutes 60", short: "--minutes 1 --warm-up 0.2", minutes: 90 },
  simulate: { run: "npm run trial -- simulate", long: "--runs 20", short: "--runs 1", seed: "option", minutes: 60 },
  regressions: { run: "npm run trial -- simulate", long: "--regressions", short: "--regressions", minutes: 30 },
  "strict-node": { run: "npm run trial -- strict-node", short: "--short", minutes: 30 },
  fuzz: { run: "npm run trial -- fuzz", long: "--cases 10000", short: "--cases 50", seed: "option", minutes: 120 },
  // Of which no command is the whole: the quality of the discovery, and what can be counted of load and soak.
  tests: { run: "npx vitest run --project nightly", seed: "variable", minutes: 30 },
};
/** For a part to end in order before it is killed. */
const END_MS = 20_000;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { short: { type: "boolean" } } });
const picked = Object.entries(PARTS).filter(
  ([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
if (picked.length === 0) refuse(`Nothing is named so. There are ${Object.keys(PARTS).join(", ")}.`);

let group: number | undefined;
let ending: Promise<void> | undefined;
/** @returns whether a process of the group got the signal */
const signalGroup = (signal: NodeJS.Signals | 0): boolean =>
  attempt(() => group !== undefined && process.kill(-group, signal), false);
/** Asks what is left of the running part to end, once, and kills what does not. */
function end(): Promise<void> {
  ending ??= (async () => {
    signalGroup("SIGTERM");
    const killed = performance.now() + END_MS;
    while (signalGroup(0) && performance.now() < killed) await wait(100);
    signalGroup("SIGKILL");
  })();
  return ending;
}

const verdicts: string[] = [];
let failed = 0;
for (const [name, { run, minutes, ...part }] of picked) {
  const seed = 1 + Math.floor(Math.random() * 1e9);
  const words = [
    ...(part.seed === "option" ? ["--seed", String(seed)] : []),
    ...((values.short ? part.short : part.long)?.split(" ") ?? []),
  ];
  const env: Record<string, string> = part.seed === "variable" ? { FUZZ_SEED: String(seed) } : {};
  const again = [...Object.entries(env).map(([variable, value]) => `${variable}=${value}`), ...[run, ...words]].join(
    " ",
  );
  console.log(`\n${name}: ${again}`);
  const began = performance.now();
  const [program = "", ...args] = run.split(" ");
  const child = startProgram(program, [...args, ...words], {
    ...{ stdio: "inherit", wholeGroup: true },
    env: childEnvironment(env).all,
  });
  group = child.pid;
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    void end();
  }, minutes * 60_000);
  const [code] = await once(child, "exit");
  clearTimeout(limit);
  // What it left behind would disturb the next.
  await end();
  [group, ending] = [undefined, undefined];
  const passed = code === 0 && !late;
  if (!passed) failed++;
  const took = `${((performance.now() - began) / 60_000).toFixed(1)} min`;
  verdicts.push(
    [
      ...[passed ? "passed" : late ? "LATE  " : "FAILED", name.padEnd(11), took.padStart(9)],
      ...[(part.seed ? `seed ${seed}` : "no seed").padEnd(15), again],
    ].join("  "),
  );
  console.log(`\n${verdicts.at(-1)}`);
}
console.log(`\n${verdicts.join("\n")}\n${verdicts.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
