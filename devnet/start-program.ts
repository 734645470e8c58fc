/** Programs that this process starts, and their end: each ends with this process, also when that is killed. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** What asks a program to end; of PostgreSQL, SIGTERM would wait for its clients. */
type EndSignal = "SIGTERM" | "SIGINT" | "SIGKILL";

/** Longer than any of these programs takes to end on a busy machine. */
const STOP_MS = 60_000;

/**
 * `sh` beside the program. Its standard input is a pipe that closes when this process has ended, for whatever reason; then it
 * sends the signal. Node cannot ask the kernel for that. On Windows there is no `sh`: what a killed process leaves there ends
 * by hand.
 */
const GUARD = 'read -r _; kill -s "$0" -- "$1"';

/**
 * Starts a program in a process group of its own: a Ctrl-C in the terminal reaches this process alone, which ends its parts
 * in order.
 * @param options.endSignal sent to it when this process has ended; SIGTERM unless given
 * @param options.wholeGroup the signal goes to all processes of its group
 */
export function startProgram(
  program: string,
  args: readonly string[],
  {
    endSignal = "SIGTERM",
    wholeGroup = false,
    ...options
  }: SpawnOptions & { endSignal?: EndSignal; wholeGroup?: boolean } = {},
): ChildProcess {
  const child = spawn(program, args, { ...options, detached: true });
  if (child.pid === undefined || process.platform === "win32") return child;
  const target = wholeGroup ? `-${child.pid}` : String(child.pid);
  // An environment of its own: the gate kills what was given its variable.
  const guard = spawn("/bin/sh", ["-c", GUARD, endSignal.slice("SIG".length), target], {
    ...{ cwd: "/", env: {}, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.unref();
  (guard.stdin as Socket).on("error", () => {}).unref();
  child.once("exit", () => guard.kill("SIGKILL"));
  return child;
}

/** What a program prints on both of its streams, as far as they are pipes. @param most characters of the end that are kept */
export function outputOf({ stdout, stderr }: ChildProcess, most = Number.POSITIVE_INFINITY): () => string {
  let text = "";
  for (const stream of [stdout, stderr])
    stream?.on("data", (chunk) => {
      text = (text + chunk).slice(-most);
    });
  return () => text;
}

/** Whether a process is alive; a process of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Asks a program to end and waits for it; kills it when it takes too long. */
export async function endProgram(
  child: ChildProcess,
  signal: EndSignal = "SIGTERM",
  timeoutMs = STOP_MS,
): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  child.kill(signal);
  await ended;
  clearTimeout(timer);
}

/** Ends a program of an earlier run, which no process of this run has started. */
export async function endLeftover(pid: number, signal: EndSignal = "SIGTERM"): Promise<void> {
  const deadline = Date.now() + STOP_MS;
  if (isAlive(pid)) process.kill(pid, signal);
  while (isAlive(pid) && Date.now() < deadline) await wait(25);
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}
