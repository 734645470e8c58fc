/** Prints at the end of a run how long it took and how much CPU time it and its processes used, by kind; keeps a table of the files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { ProcessTimes } from "./process-times.ts";

/** A look at all processes costs milliseconds; one that ends between two looks is counted with its parent. */
const SAMPLE_MS = 1_000;
const ROOT = join(import.meta.dirname, "../..");
const TABLE = join(ROOT, "node_modules/.cache/test-costs.json");

export type FileCost = {
  file: string;
  project: string;
  wallMs: number;
  cpuSeconds: number;
  kinds: Record<string, number>;
  starts: Record<string, number>;
};

export class CostReporter implements Reporter {
  readonly #times = new ProcessTimes(process.pid);
  readonly #started = performance.now();
  readonly #counted = new Map<string, number>();
  readonly #files: FileCost[] = [];
  #timer: NodeJS.Timeout | undefined;

  onInit(): void {
    this.#timer = setInterval(() => this.#times.sample(), SAMPLE_MS).unref();
  }

  onTestModuleEnd(module: TestModule): void {
    const { pid } = module.meta();
    if (pid === undefined) return;
    this.#times.sample();
    const kinds: Record<string, number> = {};
    const starts: Record<string, number> = {};
    this.#times.all().forEach((one, i) => {
      const mine = one.branch === pid || one.database?.startsWith(`test_${pid}_`);
      if (!mine) return;
      const key = `${i}`;
      if (!this.#counted.has(key)) starts[one.kind] = (starts[one.kind] ?? 0) + 1;
      const more = one.seconds - (this.#counted.get(key) ?? 0);
      this.#counted.set(key, one.seconds);
      kinds[one.kind] = (kinds[one.kind] ?? 0) + more;
    });
    this.#files.push({
      file: relative(ROOT, module.moduleId),
      project: module.project.name,
      wallMs: Math.round(module.diagnostic().duration),
      cpuSeconds: Object.values(kinds).reduce((a, b) => a + b, 0),
      kinds,
      starts,
    });
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
    this.#times.sample();
    const kinds = new Map<string, { seconds: number; processes: number }>();
    let total = 0;
    for (const { kind, seconds } of this.#times.all()) {
      const sum = kinds.get(kind) ?? { seconds: 0, processes: 0 };
      kinds.set(kind, { seconds: sum.seconds + seconds, processes: sum.processes + 1 });
      total += seconds;
    }
    const wall = (performance.now() - this.#started) / 1000;
    const parts = [...kinds]
      .sort(([, a], [, b]) => b.seconds - a.seconds)
      .map(([kind, { seconds, processes }]) => `${kind} ${seconds.toFixed(0)} in ${processes}`);
    console.log(
      `\n   Wall time ${Math.floor(wall / 60)} min ${Math.round(wall % 60)} s. CPU time ${total.toFixed(0)} s: ${parts.join(", ")}.`,
    );
    mkdirSync(join(TABLE, ".."), { recursive: true });
    writeFileSync(
      TABLE,
      JSON.stringify({ wall, total, kinds: Object.fromEntries(kinds), files: this.#files }, null, 1),
    );
  }
}
