/** Running processes as Linux shows them in /proc: their time, their memory, their children. Elsewhere nothing is known. */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { attempt } from "../devnet/attempt.ts";

/** Unit of the times in /proc: sysconf(_SC_CLK_TCK), which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** `own` and `reaped` (of its children that have ended) are CPU seconds; `started` differs for another process with the same id. */
export type ProcessStat = { pid: number; parent: number; own: number; reaped: number; started: string };

/** Ids of all processes. */
export const processIds = (): number[] =>
  attempt(() => readdirSync("/proc"), [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Undefined when the process is gone. */
export function statOf(pid: number): ProcessStat | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === "") return undefined;
  // The name in brackets may hold anything: the fields begin after the last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const time = (i: number) => (Number(fields[i]) + Number(fields[i + 1])) / TICKS_PER_SECOND;
  return { pid, parent: Number(fields[1]), own: time(11), reaped: time(13), started: fields[19]! };
}

/** Empty when the process is gone, or has ended and its parent has not waited for it yet. */
export const commandLine = (pid: number): string => readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ");

/** CPU seconds of a process, with its children (a database's connections) or without; NaN where it cannot be known. */
export function cpuOf(pid: number, { children = false } = {}): number {
  const stat = statOf(pid);
  if (!stat) return Number.NaN;
  if (!children) return stat.own;
  const living = processIds().flatMap((id) => statOf(id) ?? []);
  return living.reduce((total, { parent, own }) => total + (parent === pid ? own : 0), stat.own + stat.reaped);
}

/** Seconds all cores have worked, for whomever. */
export const cpuOfMachine = (): number =>
  cpus().reduce((total, { times }) => total + times.user + times.sys + times.nice + times.irq, 0) / 1000;

/** Resident bytes, now or at most so far; NaN when the process is gone. */
export const residentBytes = (pid: number, field: "VmRSS" | "VmHWM" = "VmRSS"): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readText(`/proc/${pid}/status`))?.[1] ?? Number.NaN) * 1024;

/** Resident bytes with a share of what several processes have together; NaN when the process is gone. */
export const proportionalBytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? Number.NaN) * 1024;

/** Open files and sockets; NaN when the process is gone. */
export const openFiles = (pid: number): number => attempt(() => readdirSync(`/proc/${pid}/fd`).length, Number.NaN);

/** A process and all below it. */
export function processesBelow(root: number): number[] {
  const children = Map.groupBy(
    processIds().flatMap((id) => statOf(id) ?? []),
    ({ parent }) => parent,
  );
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap((child) => below(child.pid))];
  return below(root);
}

const readText = (path: string): string => attempt(() => readFileSync(path, "utf8"), "");
