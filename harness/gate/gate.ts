/**
 * Decides whether a change may land. Every stage runs, whatever the one before said; a file that failed is looked at
 * twice more, alone and with the same seed: green twice, it is a flake, told and counted as passed; red once, a defect.
 */
import { spawn } from "node:child_process";
import { closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { type Circumstances, type Fact, readFacts } from "./facts.ts";

export type Stage = {
  name: string;
  command: string[];
  /** After these it is cut off. */
  minutes: number;
  /** Runs one file of the stage alone, and all that its end says beside its files; absent where nothing is a matter of chance. */
  again?: (place: { file: string; project: string }) => string[];
};

export const PASSED = 0;
export const DEFECT = 1;
/** Too much failed to look at it again, or a file killed its worker twice: the machine, or everything, is broken. */
export const BROKEN = 2;

const MOST_LOOKS = 8;
const AGAIN_MINUTES = 10;
/** Between the request to end and the end. */
const END_MS = 10_000;
const LINES_OF_A_DEFECT = 12;

type Ran = { code: number | null; cutOff: boolean; seconds: number; facts: Fact[]; log: string };
type Suspect = { stage: Stage; file: string; project: string; test: string; message: string } & Circumstances & {
    /** Its end was never seen, and not because the stage was cut off. */
    died: boolean;
  };

/**
 * Runs the stages, looks again at what failed, and prints the verdict as the last lines.
 * @param options.folder where logs and facts go; emptied first
 * @param options.minutes of the whole; what has not run by then is broken
 * @returns the exit code
 */
export async function runGate(
  stages: readonly Stage[],
  { folder, minutes, env }: { folder: string; minutes: number; env: Record<string, string> },
): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const deadline = Date.now() + minutes * 60_000;
  const run = (name: string, command: string[], limit: number) =>
    runToEnd(command, { ...env, GATE_FACTS: join(folder, `${name}.jsonl`) }, join(folder, `${name}.log`), {
      ms: Math.max(0, Math.min(limit * 60_000, deadline - Date.now())),
      facts: join(folder, `${name}.jsonl`),
    });

  const told: string[] = [];
  const suspects: Suspect[] = [];
  const defects: string[][] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) {
    const ran = await run(stage.name, stage.command, stage.minutes);
    const tests = ran.facts.filter((fact) => fact.kind === "test");
    const found = suspectsIn(stage, ran);
    suspects.push(...found);
    for (const { file, state } of tests)
      if (state !== "failed" && !found.some((suspect) => suspect.file === file)) counts[state]++;
    const strays = ran.facts.filter((fact) => fact.kind === "error" && fact.file === undefined) as {
      message: string;
    }[];
    if (ran.code !== 0 && found.length === 0)
      defects.push([`${stage.name}: ${endOf(ran)}`, ...lastLines(ran.log), again(stage.command)]);
    // Of no file, so that no second look can clear it; the death of a worker is told by the file that did not end.
    else if (strays.length > 0 && !ran.cutOff && !found.some(({ died }) => died))
      defects.push([
        `${stage.name}: an error outside of tests`,
        ...strays[0]!.message.split("\n"),
        again(stage.command),
      ]);
    const line = `${stage.name.padEnd(9)} ${endOf(ran).padEnd(28)} ${minutesOf(ran.seconds)}, load ${loadavg()[0]!.toFixed(1)}, ${tests.length} tests${found.length ? `, ${found.length} files to look at again` : ""}`;
    console.log(line);
    told.push(line);
  }

  const flakes: string[] = [];
  let isBroken = suspects.length > MOST_LOOKS;
  for (const [i, suspect] of suspects.slice(0, MOST_LOOKS).entries()) {
    const { stage, file, test, message, load, before, rssMb } = suspect;
    let red: string | undefined = stage.again && !isBroken ? undefined : message;
    let looks: Fact[] = [];
    for (let look = 1; look <= 2 && red === undefined; look++) {
      const name = `again-${i + 1}-${look}`;
      console.log(`${name}: ${file}`);
      const ran = await run(name, stage.again!(suspect), Math.min(AGAIN_MINUTES, stage.minutes));
      looks = ran.facts;
      const [worse] = suspectsIn(stage, ran);
      if (worse) red = worse.message;
      else if (ran.code !== 0) red = `${endOf(ran)}\n${lastLines(ran.log).join("\n")}`;
      isBroken ||= suspect.died && worse?.died === true;
    }
    if (red === undefined) {
      flakes.push(
        `FLAKE ${JSON.stringify({ file, test, message: message.split("\n")[0]!.slice(0, 300), load, before, rssMb })}`,
      );
      for (const fact of looks) if (fact.kind === "test" && fact.file === file) counts[fact.state]++;
    } else defects.push([`${file} > ${test}`, ...red.split("\n"), again(stage.again?.(suspect) ?? stage.command)]);
  }
  counts.failed += defects.length + Math.max(0, suspects.length - MOST_LOOKS);

  console.log(`\n${told.join("\n")}`);
  for (const line of flakes) console.log(line);
  for (const lines of defects)
    console.log(
      `\nDEFECT ${[...lines.slice(0, LINES_OF_A_DEFECT - 1), ...lines.slice(LINES_OF_A_DEFECT - 1).slice(-1)].join("\n")}`,
    );
  if (isBroken)
    console.log(`\nBROKEN: ${suspects.length} files failed, or one killed its worker twice; all logs are in ${folder}`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return isBroken ? BROKEN : defects.length > 0 ? DEFECT : PASSED;
}

/** Files of which a test failed, that failed themselves, that never ended, or that an error without a test points at. */
function suspectsIn(stage: Stage, { facts, cutOff }: Ran): Suspect[] {
  const ended = new Map<string, Fact & { kind: "file" }>();
  for (const fact of facts) if (fact.kind === "file") ended.set(`${fact.project} ${fact.file}`, fact);
  const suspects: Suspect[] = [];
  for (const { project, file } of facts.filter((fact) => fact.kind === "planned")) {
    const end = ended.get(`${project} ${file}`);
    const red = facts.find(
      (fact) => fact.kind === "test" && fact.state === "failed" && fact.file === file && fact.project === project,
    ) as (Fact & { kind: "test" }) | undefined;
    const stray = facts.find((fact) => fact.kind === "error" && fact.file === file) as
      | (Fact & { kind: "error" })
      | undefined;
    if (end?.state === "passed" && !red && !stray) continue;
    const { load = loadavg()[0]!, before = [], rssMb } = end ?? {};
    suspects.push({
      ...{ stage, file, project, load, before, rssMb, died: !end && !cutOff },
      test: red?.test ?? (end ? "outside its tests" : "did not end"),
      message: red?.message ?? end?.message ?? stray?.message ?? (cutOff ? "cut off" : "its worker died"),
    });
  }
  return suspects;
}

/** Runs a command in a process group of its own; nothing that it started is left when it has ended or its time is up. */
async function runToEnd(
  [program, ...words]: string[],
  env: Record<string, string>,
  log: string,
  { ms, facts }: { ms: number; facts: string },
): Promise<Ran> {
  const began = Date.now();
  const out = openSync(log, "a");
  const child = spawn(program!, words, {
    detached: true,
    stdio: ["ignore", out, out],
    env: { ...process.env, ...env },
  });
  closeSync(out);
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
  signal(-child.pid!, "SIGKILL");
  for (const pid of strays(facts)) signal(pid, "SIGKILL");
  return { code: cutOff ? null : code, cutOff, seconds: (Date.now() - began) / 1_000, facts: readFacts(facts), log };
}

/** Processes that have left the group of what started them, as browsers do: known by the environment they were given. */
function strays(facts: string): number[] {
  return globSync("/proc/[0-9]*/environ")
    .filter((path) => {
      try {
        return readFileSync(path, "latin1").split("\0").includes(`GATE_FACTS=${facts}`);
      } catch {
        return false;
      }
    })
    .map((path) => Number(path.split("/")[2]));
}

/** Sends a signal; nothing where the process, or the group, is gone. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {}
}

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
