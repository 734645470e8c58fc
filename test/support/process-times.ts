/** CPU time of a process and of all its descendants, read from /proc; nothing is counted where there is no /proc. */
import { commandLine, processIds, type ProcessStat as Read, statOf } from "../../harness/running-processes.ts";

export type SeenProcess = {
  pid: number;
  kind: string;
  /** The child of the root it descends from; the root's own id for the root. */
  branch: number;
  /** CPU seconds, as last read; the process may have ended since. */
  seconds: number;
  /** Database that a session of PostgreSQL serves. */
  database: string | undefined;
};

const KINDS: [RegExp, string][] = [
  [/^postgres/, "PostgreSQL"],
  [/\/postgres /, "PostgreSQL"],
  [/anvil/, "anvil"],
  [/chrom/, "Chromium"],
  [/redis-server/, "Redis"],
  [/ponder-process|ponder\/dist|bin\/ponder/, "Ponder"],
  [/(indexer\/main\.ts|dist\/indexer\.js)/, "indexer's launcher"],
  [/(api\/main\.ts|dist\/api\.js)/, "API"],
  [/(workers\/main\.ts|dist\/workers\.js)/, "workers"],
  [/(workers\/readers\.ts|dist\/readers\.js)/, "readers"],
  [/(devnet\/start\.ts|dist\/stack\.js|scripts\/start\.ts)/, "local stack"],
  [/\/node /, "other Node"],
];

export class ProcessTimes {
  readonly #root: number;
  readonly #seen = new Map<
    string,
    SeenProcess & Read & { key: string; parentKey: string | undefined; gone: boolean }
  >();
  /** Of processes alive, by id. */
  #alive = new Map<number, string>();

  constructor(root: number) {
    this.#root = root;
  }

  /** Reads the times of all processes that descend from the root. */
  sample(): void {
    const read = new Map<number, Read>();
    for (const id of processIds()) {
      const found = statOf(id);
      if (found) read.set(found.pid, found);
    }
    const alive = new Map<number, string>();
    const visit = (found: Read): void => {
      const key = `${found.pid}:${found.started}`;
      if (alive.get(found.pid) === key) return;
      const known = this.#seen.get(key);
      if (!known) {
        const parentKey = this.#alive.get(found.parent) ?? alive.get(found.parent);
        const parent = parentKey === undefined ? undefined : this.#seen.get(parentKey);
        if (!parent && found.pid !== this.#root) return;
        const branch = !parent ? found.pid : parent.pid === this.#root ? found.pid : parent.branch;
        this.#seen.set(key, {
          ...found,
          ...{ key, parentKey, branch },
          ...(this.#describe(found.pid, found.parent) ?? { kind: "others", database: undefined }),
          seconds: found.own,
          gone: false,
        });
      } else {
        Object.assign(known, found, {
          seconds: found.own,
          parentKey: alive.get(found.parent) ?? this.#alive.get(found.parent),
        });
        // A process that has ended and was not waited for yet has no command line; its kind stays what it was.
        const described = this.#describe(found.pid, found.parent);
        if (described) Object.assign(known, described);
      }
      alive.set(found.pid, key);
    };
    // A parent has a smaller id than its child except where ids have begun anew: two passes find both.
    const all = [...read.values()].sort((a, b) => a.pid - b.pid);
    for (const found of all) visit(found);
    for (const found of all) visit(found);
    for (const [pid, key] of this.#alive) if (alive.get(pid) !== key) this.#seen.get(key)!.gone = true;
    this.#alive = alive;
  }

  #describe(pid: number, parent: number): { kind: string; database: string | undefined } | undefined {
    const words = commandLine(pid);
    if (words === "") return undefined;
    const database = /^postgres: \S+ (\S+) /.exec(words)?.[1];
    const kind =
      pid === this.#root || parent === this.#root
        ? (KINDS.find(([pattern]) => pattern.test(words) && !/vitest|node /.test(words))?.[1] ?? "vitest")
        : (KINDS.find(([pattern]) => pattern.test(words))?.[1] ?? "others");
    return { kind, database };
  }

  /** All processes seen so far, with the time of children that ended unseen counted for their parent. */
  all(): SeenProcess[] {
    // Ended ones: whoever waits for one inherits its time, and what it had inherited itself after the last look at it.
    const children = Map.groupBy(
      [...this.#seen.values()].filter(({ gone }) => gone),
      ({ parentKey }) => parentKey,
    );
    const seenOf = (key: string): number =>
      (children.get(key) ?? []).reduce((sum, one) => sum + one.own + Math.max(one.reaped, seenOf(one.key)), 0);
    return [...this.#seen.values()].map(({ key, pid, kind, branch, own, reaped, database }) => ({
      ...{ pid, kind, branch, database },
      seconds: own + Math.max(0, reaped - seenOf(key)),
    }));
  }
}
