/** CPU time of processes as Linux counts it, in steps of 10 ms; elsewhere it is not known. */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const TICK_SECONDS = 0.01;

type Stat = { parent: number; own: number; ended: number };

/** One process: seconds of its own, and of its children that have ended. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((i) => fields[i]!) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return { parent, own: (utime + stime) * TICK_SECONDS, ended: (cutime + cstime) * TICK_SECONDS };
  } catch {
    return undefined;
  }
}

/** Seconds of a process, with its children (a database's connections) or without; NaN where it cannot be known. */
export function cpuOf(pid: number, { children = false } = {}): number {
  const stat = statOf(pid);
  if (!stat) return Number.NaN;
  if (!children) return stat.own;
  const living = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);
  return living.reduce((sum, { own }) => sum + own, stat.own + stat.ended);
}

/** Seconds all cores have worked, for whomever. */
export const cpuOfMachine = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.sys + times.nice + times.irq, 0) / 1000;
