/** The processes of this project by name, and the file each is started with: of the build where it is fresh, else the source. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildInputs, inputsUnchanged } from "./build-inputs.ts";
import { PROJECT_ROOT } from "./project-root.ts";

/** The file in which each process begins. `npm run build` makes dist/<name>.js of each. */
export const PROCESSES = {
  api: "api/main.ts",
  workers: "workers/main.ts",
  /** A child of each worker process. */
  readers: "workers/readers.ts",
  indexer: "indexer/main.ts",
  migrate: "scripts/migrate.ts",
  "load-agents": "db/lists/load-agents.ts",
  "load-directory": "db/lists/load-directory.ts",
  /** A thread of the two above. */
  "sort-table": "columns/sort-thread.ts",
  "cred-tree": "db/cred/tree/tree-process.ts",
  snapshot: "workers/snapshots/snapshot-process.ts",
  stack: "devnet/start.ts",
  /** Loaded by each process of a local stack before its own: of the build, because Node's reader of types takes 15 MB. */
  "small-memory": "devnet/small-memory.ts",
  simulators: "devnet/simulators/main.ts",
  reset: "devnet/reset.ts",
  "api-keys": "scripts/api-keys.ts",
  backfill: "scripts/backfill.ts",
  payments: "scripts/payments.ts",
  pull: "scripts/pull.ts",
  probe: "scripts/probe.ts",
  doctor: "scripts/doctor.ts",
} as const;

export type ProcessName = keyof typeof PROCESSES;

export const BUILD_FOLDER = join(PROJECT_ROOT, "dist");

/** Lists the inputs of the build in dist/; written last, so that a build without it is not complete. */
export const INPUTS_FILE = join(BUILD_FOLDER, "inputs.json");

/** Whether this module itself runs from dist/. */
const BUILT = import.meta.dirname === BUILD_FOLDER;

/**
 * Absolute path of the file that a process is started with: `spawn(process.execPath, commandOf("api"))`. A process of
 * the build starts others of the same build. One that runs from source uses the build only while its inputs are
 * unchanged.
 */
export function entryOf(name: ProcessName): string {
  return BUILT || buildIsFresh() ? join(BUILD_FOLDER, `${name}.js`) : join(PROJECT_ROOT, PROCESSES[name]);
}

/**
 * Options of V8 for a process. An API that answers from memory makes much garbage and has much that lives: by default V8
 * lets young objects take 100 MB and old ones several times what lives, which is more than a list of 200,000 agents.
 * The image, compose.yaml and `npm run api` name the same (a test compares them).
 */
const V8_OPTIONS: { readonly [P in ProcessName]?: readonly string[] } = {
  api: ["--max-semi-space-size=8", "--heap-growing-percent=40"],
  // Untrusted content may take this much memory at most, and then ends this process alone.
  readers: ["--max-old-space-size=1024"],
};

/**
 * Variables of each process. By default glibc gives every thread a heap of its own and keeps what was freed in it; with one
 * for the main thread and one for all others, freed memory is used again. The main thread waits for none of them: with a
 * single heap it does, and a request costs a seventh more. `npm run api` and the image name the same (a test compares them).
 */
export const PROCESS_ENV = { MALLOC_ARENA_MAX: "2" } as const;

/** What follows the name of Node in the command that starts a process: options of V8, and the process's file. */
export const commandOf = (name: ProcessName): string[] => [...(V8_OPTIONS[name] ?? []), entryOf(name)];

/** Whether dist/ was built from the files as they are now. */
export function buildIsFresh(): boolean {
  let inputs: BuildInputs;
  try {
    inputs = JSON.parse(readFileSync(INPUTS_FILE, "utf8"));
  } catch {
    return false;
  }
  return inputsUnchanged(inputs, PROJECT_ROOT);
}
