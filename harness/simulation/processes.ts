/** The service's processes in a simulation: killed, frozen and ended at will; what dies is started again, and a death nobody caused is told. */
import type { ChildProcess } from "node:child_process";
import type { ProcessName } from "../../runtime/processes.ts";
import { type ServiceProcess, startProcess } from "../service-process.ts";
import { until } from "../until.ts";

const RESTART_MS = 300;
const KEPT_WORDS = 200_000;

export type Part = "indexer" | "workers" | "workers-2" | "api" | "api-2";
export const PARTS: readonly Part[] = ["indexer", "workers", "workers-2", "api", "api-2"];

export type Spec = {
  process: ProcessName;
  env: Record<string, string>;
  /** Answers once the process works; without one it works as soon as it runs. */
  health?: string;
  /** Last words of an end by itself that is in order. */
  mayEnd?: RegExp;
};

export type Processes = {
  /** Resolves once the process that is meant to run works. */
  ready(part: Part): Promise<void>;
  /** kill -9; the next process gets `env` on top of its own, the one after it does not. */
  kill(part: Part, env?: Record<string, string>): void;
  /** SIGSTOP, and SIGCONT after a while. */
  freeze(part: Part, ms: number): Promise<void>;
  /** SIGTERM. @returns its exit code and how long the end took */
  terminate(part: Part): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
  /** Whether the present process was started with something on top, which ends with `fresh`. */
  fresh(part: Part): Promise<void>;
  /** How often a process died at a fault point it was armed with. */
  readonly died: Record<string, number>;
  /** Ends that nobody caused, told once. */
  surprises(): string[];
  /** Last words of a part, of all its processes. */
  words(part: Part): string;
  stop(): Promise<void>;
};

type Running = ServiceProcess & { ready: Promise<void>; works: boolean; extra: Record<string, string> };

/** Starts them all. */
export function startProcesses(specs: Partial<Record<Part, Spec>>): Processes {
  const running = new Map<Part, Running>();
  const words = new Map<Part, string>();
  const next = new Map<Part, Record<string, string>>();
  const causing = new Set<ChildProcess>();
  const died: Record<string, number> = {};
  let told: string[] = [];
  let stopping = false;

  function start(part: Part): void {
    const { process: name, env, health, mayEnd } = specs[part]!;
    const extra = next.get(part) ?? {};
    next.delete(part);
    const process = startProcess(name, { ...env, ...extra });
    const entry: Running = { ...process, ready: Promise.resolve(), works: health === undefined, extra };
    if (health !== undefined) {
      const answers = process.answers(health, { timeoutMs: 120_000, everyMs: 100 });
      // One that ended before is told of below.
      entry.ready = answers.then(
        () => {
          entry.works = true;
        },
        () => {},
      );
    }
    running.set(part, entry);
    process.child.once("exit", (code, signal) => {
      if (stopping) return;
      const own = process.output();
      words.set(part, ((words.get(part) ?? "") + own).slice(-KEPT_WORDS));
      const armed = extra.FAULT_POINT;
      if (!causing.has(process.child)) {
        if (armed && signal === "SIGKILL") died[armed] = (died[armed] ?? 0) + 1;
        else if (entry.works && !mayEnd?.test(own))
          told.push(`${part} ended by itself (${signal ?? `code ${code}`}): ${own.trim().slice(-1_500)}`);
      }
      setTimeout(() => stopping || start(part), RESTART_MS);
    });
  }
  for (const part of Object.keys(specs) as Part[]) start(part);

  const processes: Processes = {
    died,
    async ready(part) {
      await until(
        `${part} runs`,
        async () => {
          const entry = running.get(part)!;
          await entry.ready;
          return running.get(part) === entry && !entry.hasEnded();
        },
        { timeoutMs: 120_000, everyMs: 50 },
      );
    },
    kill(part, env) {
      if (env) next.set(part, env);
      const { child } = running.get(part)!;
      causing.add(child);
      child.kill("SIGKILL");
    },
    async freeze(part, ms) {
      const { child } = running.get(part)!;
      child.kill("SIGSTOP");
      await new Promise((done) => setTimeout(done, ms));
      child.kill("SIGCONT");
    },
    async terminate(part) {
      await processes.ready(part);
      const { child, ended } = running.get(part)!;
      causing.add(child);
      const began = Date.now();
      child.kill("SIGTERM");
      await ended;
      return { code: child.exitCode, signal: child.signalCode, ms: Date.now() - began };
    },
    async fresh(part) {
      next.delete(part);
      await processes.ready(part);
      if (Object.keys(running.get(part)!.extra).length === 0) return;
      processes.kill(part);
      await running.get(part)!.ended;
      await processes.ready(part);
    },
    surprises() {
      const news = told;
      told = [];
      return news;
    },
    words: (part) => (words.get(part) ?? "") + (running.get(part)?.output() ?? ""),
    async stop() {
      stopping = true;
      await Promise.all(
        [...running.values()].map(({ child, stop }) => {
          child.kill("SIGCONT");
          return stop();
        }),
      );
    },
  };
  return processes;
}
