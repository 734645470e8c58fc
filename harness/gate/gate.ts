/**
 * Decides whether a change may land. Every stage runs, whatever the one before said; a file that failed is looked at
 * twice more, alone and with the same seed: green twice, it is a flake, printed and counted as passed; red once, a defect.
 */
import { closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { attempt } from "../../devnet/attempt.ts";
import { startProgram } from "../../devnet/start-program.ts";
import { type Circumstances, type Fact, readFacts } from "./facts.ts";

export type Stage = {
  name: string;
  command: string[];
  /** After these it is cut off. */
  minutes: number;
  /** Runs one file of the stage alone, and all that its end says in addition to its files; absent where nothing is a matter of chance. */
  again?: (place: { file: string; project: string }) => string[];
};

export const PASSED = 0;
export const DEFECT = 1;
/** Too much failed to look at it again, or a file killed its worker twice: the machine, or everything, is broken. */
export const BROKEN = 2;

const MAX_LOOKS = 8;
const AGAIN_MINUTES = 13;
/** Between the request to end and the end. */
const END_MS = 10_000;
const LINES_OF_A_DEFECT = 12;

/** Names in place of a test's. */
const UNNAMED = ["outside its tests", "did not end"];
/** What Vitest says where ending what the tests shared has failed: after all its facts. */
const CLOSED_BADLY = /error during close/;

type TestFact = Extract<Fact, { kind: "test" }>;
type Ran = { code: number | null; cutOff: boolean; seconds: number; facts: Fact[]; log: string };
type Suspect = { stage: Stage; file: string; project: string; test: string; message: string } & Circumstances & {
    /** Its end was never seen, and not because the stage was cut off. */
    died: boolean;
  };

/**
 * Runs the stages, looks again at what failed, and prints the verdict as the last lines.
 * @param options.folder where logs and facts go; emptied first
 * @param options.minutes of all stages, and of all second looks after them
 * @param options.notes lines that the verdict contains
 * @returns the exit code
 */
export async function runGate(
  stages: readonly Stage[],
  {
    folder,
    minutes,
    env,
    notes = [],
  }: { folder: string; minutes: { stages: number; looks: number }; env: Record<string, string>; notes?: string[] },
): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let deadline = Date.now() + minutes.stages * 60_000;
  const run = (name: string, command: string[], limit: number) =>
    runToEnd(command, env, {
      log: join(folder, `${name}.log`),
      facts: join(folder, `${name}.jsonl`),
      ms: Math.max(0, Math.min(limit * 60_000, deadline - Date.now())),
    });

  const summary: string[] = [];
  const suspects: Suspect[] = [];
  const defects: string[][] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) {
    const ran = await run(stage.name, stage.command, stage.minutes);
    const found = suspectsIn(stage, ran);
    suspects.push(...found);
    const wrong = otherDefect(found, ran, stage);
    if (wrong) defects.push([`${stage.name}: ${wrong[0]}`, ...wrong.slice(1), again(stage.command)]);
    const tests = testsIn(ran.facts);
    for (const { file, state } of tests)
      if (state !== "failed" && !found.some((suspect) => suspect.file === file)) counts[state]++;
    const line = `${stage.name.padEnd(9)} ${endOf(ran).padEnd(28)} ${minutesOf(ran.seconds)}, load ${loadavg()[0]!.toFixed(1)}, ${tests.length} tests${found.length ? `, ${found.length} files to look at again` : ""}`;
    console.log(line);
    summary.push(line);
  }

  deadline = Date.now() + minutes.looks * 60_000;
  const flakes: string[] = [];
  let isBroken = suspects.length > MAX_LOOKS;
  for (const [i, suspect] of suspects.slice(0, MAX_LOOKS).entries()) {
    const { stage, file, test, message, load, before, rssMb, died } = suspect;
    let red: string | undefined = stage.again && !isBroken ? undefined : message;
    let tests: TestFact[] = [];
    for (let look = 1; look <= 2 && red === undefined; look++) {
      const name = `again-${i + 1}-${look}`;
      console.log(`${name}: ${file}`);
      const ran = await run(name, stage.again!(suspect), Math.min(AGAIN_MINUTES, stage.minutes));
      const [worse] = suspectsIn(stage, ran);
      tests = testsIn(ran.facts).filter((fact) => fact.file === file);
      const wrong = otherDefect(worse ? [worse] : [], ran, stage);
      if (worse) red = worse.message;
      else if (wrong) red = wrong.join("\n");
      else if (!tests.some((fact) => fact.state === "passed" && [fact.test, ...UNNAMED].includes(test)))
        red = `${message}\nand it was not run again`;
      // No time is left for it, or it kills what runs it: nothing is judged.
      isBroken ||= Date.now() >= deadline || (died && worse?.died === true);
    }
    if (red === undefined) {
      const [first] = message.split("\n");
      flakes.push(`FLAKE ${JSON.stringify({ file, test, message: first!.slice(0, 300), load, before, rssMb })}`);
      for (const { state } of tests) counts[state]++;
    } else defects.push([`${file} > ${test}`, ...red.split("\n"), again(stage.again?.(suspect) ?? stage.command)]);
  }
  counts.failed += defects.length + Math.max(0, suspects.length - MAX_LOOKS);

  console.log(`\n${[...summary, ...notes, ...flakes].join("\n")}`);
  for (const lines of defects)
    console.log(`\nDEFECT ${[...lines.slice(0, -1).slice(0, LINES_OF_A_DEFECT - 1), lines.at(-1)].join("\n")}`);
  if (isBroken) console.log(`\nBROKEN: ${suspects.length} files failed and were not all judged; logs are in ${folder}`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return isBroken ? BROKEN : defects.length > 0 ? DEFECT : PASSED;
}

/** What was wrong with a run apart from its files, which no second look at them can clear; its first line is a sentence. */
function otherDefect(found: readonly Suspect[], ran: Ran, { again: looks }: Stage): string[] | undefined {
  const planned = new Set(ran.facts.filter((fact) => fact.kind === "planned").map(({ file }) => file));
  // The death of a worker shows in the file that did not end.
  const stray = ran.facts.find(
    (fact) =>
      fact.kind === "error" &&
      !(fact.file && planned.has(fact.file)) &&
      !ran.cutOff &&
      !(found.some(({ died }) => died) && /\[vitest-pool\]|Worker/.test(fact.message)),
  ) as { message: string } | undefined;
  if (stray) return ["an error outside of tests", ...stray.message.split("\n")];
  if (ran.code !== 0 && (found.length === 0 || CLOSED_BADLY.test(readFileSync(ran.log, "utf8"))))
    return [endOf(ran), ...lastLines(ran.log)];
  if (looks && planned.size === 0) return ["nothing was run", ...lastLines(ran.log)];
}

const testsIn = (facts: readonly Fact[]): TestFact[] => facts.filter((fact) => fact.kind === "test");

/** Files of which a test failed, that failed themselves, that never ended, or that an error without a test points at. */
function suspectsIn(stage: Stage, { facts, cutOff }: Ran): Suspect[] {
  const ended = new Map<string, Fact & { kind: "file" }>();
  for (const fact of facts) if (fact.kind === "file") ended.set(`${fact.project} ${fact.file}`, fact);
  const suspects: Suspect[] = [];
  for (const { project, file } of facts.filter((fact) => fact.kind === "planned")) {
    const end = ended.get(`${project} ${file}`);
    const red = testsIn(facts).find(
      (fact) => fact.state === "failed" && fact.file === file && fact.project === project,
    );
    const stray = facts.find((fact) => fact.kind === "error" && fact.file === file) as
      | (Fact & { kind: "error" })
      | undefined;
    if (end?.state === "passed" && !red && !stray) continue;
    const { load = loadavg()[0]!, before = [], rssMb } = end ?? {};
    suspects.push({
      ...{ stage, file, project, load, before, rssMb, died: !end && !cutOff },
      test: red?.test ?? UNNAMED[end ? 0 : 1]!,
      message: red?.message ?? end?.message ?? stray?.message ?? (cutOff ? "cut off" : "its worker died"),
    });
  }
  return suspects;
}

/** Runs a command in a process group of its own; nothing that it started is left when it has ended or its time is up. */
async function runToEnd(
  [program, ...words]: string[],
  env: Record<string, string>,
  { log, facts, ms }: { log: string; facts: string; ms: number },
): Promise<Ran> {
  const began = Date.now();
  const out = openSync(log, "a");
  const child = startProgram(program!, words, {
    ...{ endSignal: "SIGKILL", wholeGroup: true },
    stdio: ["ignore", out, out],
    env: { ...process.env, ...env, GATE_FACTS: facts },
  });
  closeSync(out);
  const endAll = () => {
    signal(-child.pid!, "SIGKILL");
    for (const pid of strays(facts)) signal(pid, "SIGKILL");
  };
  let cutOff = false;
  const timer = setTimeout(() => {
    cutOff = true;
    signal(-child.pid!, "SIGTERM");
    setTimeout(() => signal(-child.pid!, "SIGKILL"), END_MS).unref();
  }, ms);
  const code = await new Promise<number | null>((done) => {
    child.once("error", () => done(null));
    child.once("exit", done);
  });
  clearTimeout(timer);
  endAll();
  return { code: cutOff ? null : code, cutOff, seconds: (Date.now() - began) / 1_000, facts: readFacts(facts), log };
}

/** Processes that have left the group of what started them, as browsers do: known by the environment they were given. */
const strays = (facts: string): number[] =>
  globSync("/proc/[0-9]*/environ")
    .filter((path) =>
      attempt(() => readFileSync(path, "latin1"), "")
        .split("\0")
        .includes(`GATE_FACTS=${facts}`),
    )
    .map((path) => Number(path.split("/")[2]));

/** Sends a signal; nothing where the process, or the group, is gone. */
const signal = (pid: number, name: NodeJS.Signals) => attempt(() => process.kill(pid, name), false);

const endOf = ({ code, cutOff, seconds }: Ran) =>
  cutOff ? `cut off after ${minutesOf(seconds)}` : code === 0 ? "ended well" : `ended with ${code}`;
const minutesOf = (seconds: number) => `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
const lastLines = (log: string) =>
  readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .slice(2 - LINES_OF_A_DEFECT);
const again = (command: readonly string[]) =>
  `again: ${command.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}`;
