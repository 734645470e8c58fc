/** The service's processes in a simulation: killed, frozen and ended at will; a process that dies is started again, and a death without a cause in the plan is reported. */
import type { ChildProcess } from "node:child_process";
import type { ProcessName } from "../../runtime/processes.ts";
import { type ServiceProcess, startProcess } from "../service-process.ts";
import { until } from "../until.ts";

const RESTART_MS = 300;
const KEPT_WORDS = 200_000;
const READY_MS = 120_000;

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

type Running = ServiceProcess & { ready: Promise<void>; works: boolean; extra: Record<string, string> };

/** Runs all that are specified from the beginning on. */
export class Processes {
  /** How often a process died at a fault point it was armed with. */
  readonly died: Record<string, number> = {};
  readonly #specs: Partial<Record<Part, Spec>>;
  readonly #running = new Map<Part, Running>();
  readonly #words = new Map<Part, string>();
  /** What the next process of a part gets on top of its environment. */
  readonly #next = new Map<Part, Record<string, string>>();
  /** Those that are ended on purpose. */
  readonly #causing = new Set<ChildProcess>();
  readonly #surprises: string[] = [];
  #stopping = false;

  constructor(specs: Partial<Record<Part, Spec>>) {
    this.#specs = specs;
    for (const part of Object.keys(specs) as Part[]) this.#start(part);
  }

  #start(part: Part): void {
    const { process: name, env, health } = this.#specs[part]!;
    const extra = this.#next.get(part) ?? {};
    this.#next.delete(part);
    const process = startProcess(name, { ...env, ...extra });
    const entry: Running = { ...process, ready: Promise.resolve(), works: health === undefined, extra };
    if (health !== undefined) {
      const answers = process.answers(health, { timeoutMs: READY_MS, everyMs: 100 });
      // The handler of its end reports a process that ended before.
      entry.ready = answers.then(
        () => {
          entry.works = true;
        },
        () => {},
      );
    }
    this.#running.set(part, entry);
    process.child.once("exit", (code, signal) => {
      if (this.#stopping) return;
      this.#ended(part, entry, signal ?? `code ${code}`);
      setTimeout(() => this.#stopping || this.#start(part), RESTART_MS);
    });
  }

  /** Keeps the last words of a process, and whose doing its end was. */
  #ended(part: Part, { child, output, works, extra }: Running, how: string): void {
    const own = output();
    this.#words.set(part, ((this.#words.get(part) ?? "") + own).slice(-KEPT_WORDS));
    if (this.#causing.has(child)) return;
    const armed = extra.FAULT_POINT;
    if (armed && how === "SIGKILL") this.died[armed] = (this.died[armed] ?? 0) + 1;
    else if (works && !this.#specs[part]!.mayEnd?.test(own))
      this.#surprises.push(`${part} ended by itself (${how}): ${own.trim().slice(-1_500)}`);
  }

  /** Resolves once the process that is meant to run works. */
  async ready(part: Part): Promise<void> {
    await until(
      `${part} runs`,
      async () => {
        const entry = this.#running.get(part)!;
        await entry.ready;
        return this.#running.get(part) === entry && !entry.hasEnded();
      },
      { timeoutMs: READY_MS, everyMs: 50 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${this.#words.get(part) ?? ""}`);
    });
  }

  /** kill -9; the next process gets `env` on top of its own, the one after it does not. */
  kill(part: Part, env?: Record<string, string>): void {
    if (env) this.#next.set(part, env);
    const { child } = this.#running.get(part)!;
    this.#causing.add(child);
    child.kill("SIGKILL");
  }

  /** SIGSTOP, and SIGCONT after a while. */
  async freeze(part: Part, ms: number): Promise<void> {
    const { child } = this.#running.get(part)!;
    child.kill("SIGSTOP");
    await new Promise((done) => setTimeout(done, ms));
    child.kill("SIGCONT");
  }

  /** SIGTERM. @returns its exit code and how long the end took */
  async terminate(part: Part): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }> {
    await this.ready(part);
    const { child, ended } = this.#running.get(part)!;
    this.#causing.add(child);
    const began = Date.now();
    child.kill("SIGTERM");
    await ended;
    return { code: child.exitCode, signal: child.signalCode, ms: Date.now() - began };
  }

  /** Sees to it that the process that runs was started with nothing on top. */
  async fresh(part: Part): Promise<void> {
    this.#next.delete(part);
    await this.ready(part);
    if (Object.keys(this.#running.get(part)!.extra).length === 0) return;
    this.kill(part);
    await this.#running.get(part)!.ended;
    await this.ready(part);
  }

  /** Ends without a cause in the plan, each given once. */
  surprises(): string[] {
    return this.#surprises.splice(0);
  }

  /** Last words of a part, of all its processes. */
  words(part: Part): string {
    return (this.#words.get(part) ?? "") + (this.#running.get(part)?.output() ?? "");
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#running.values()].map(({ child, stop }) => {
        child.kill("SIGCONT");
        return stop();
      }),
    );
  }
}
