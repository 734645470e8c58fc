/** `npm run build`: bundles every process into a few files of dist/, with source maps. The image and the local stack run these. */
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { Plugin } from "rolldown";
import { type BuildInputs, inputsOf } from "../runtime/build-inputs.ts";
import { BUILD_FOLDER, buildIsFresh, INPUTS_FILE, PROCESSES } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

/** Stay in node_modules: native code, packages found by their path, and build tools that only `npm start` may load. */
const EXTERNAL = [
  "@duckdb/node-api",
  "@takumi-rs/core",
  "secp256k1",
  "msgpackr-extract",
  "pg-native",
  /^@bull-board\//,
  "rolldown",
  "vite",
];

/** Decide what a build is made of in addition to the modules in it. */
const ALSO_INPUTS = ["scripts/build.ts", "package.json", "node_modules/.package-lock.json"];

/** Begins the name of a module that this file writes: one for each process. */
const ENTRY = "\0process:";

/** A process begins with `beginBuiltProcess`; what it runs is imported after that, so that the compile cache serves it. */
const entries: Plugin = {
  name: "process-entries",
  resolveId: (id) => (id.startsWith(ENTRY) ? id : null),
  load(id) {
    if (!id.startsWith(ENTRY)) return null;
    const file = PROCESSES[id.slice(ENTRY.length) as keyof typeof PROCESSES];
    return `import { beginBuiltProcess } from ${JSON.stringify(join(PROJECT_ROOT, "runtime/built-process.ts"))};
beginBuiltProcess();
await import(${JSON.stringify(join(PROJECT_ROOT, file))});
`;
  },
};

/**
 * Builds dist/ from the present sources: 2 s. Each file is put in place by a rename, `inputs.json` last.
 * Processes of an earlier build that run meanwhile keep what they have loaded.
 * @throws Error with the bundler's own words; dist/ is then as it was
 */
async function build(): Promise<void> {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: PROJECT_ROOT,
    platform: "node",
    input: Object.fromEntries(Object.keys(PROCESSES).map((name) => [name, ENTRY + name])),
    external: EXTERNAL,
    plugins: [entries],
    logLevel: "silent",
  });
  try {
    const { output } = await bundle.generate({
      dir: BUILD_FOLDER,
      format: "esm",
      sourcemap: true,
      sourcemapExcludeSources: true,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // V8 keeps the text of what it runs: in two bytes a character where one of a file is not in Latin-1.
      charset: "ascii",
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    });
    const files = new Map(output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]));
    // Read before the files are written: what changes meanwhile makes the build stale.
    const modules = output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
    const inputs = inputsOf(inputPaths(modules), PROJECT_ROOT);
    place(files, inputs);
  } finally {
    await bundle.close();
  }
}

/**
 * Builds unless dist/ is fresh, in a process of its own: the bundler leaves 800 MB to the process that it runs in.
 * @returns whether there is a build now: without the development dependencies there is none
 * @throws Error with the bundler's own words
 */
export async function buildWhenStale(): Promise<boolean> {
  if (buildIsFresh()) return true;
  if (!existsSync(join(PROJECT_ROOT, "node_modules/rolldown"))) return false;
  await promisify(execFile)(process.execPath, [join(PROJECT_ROOT, "scripts/build.ts")]);
  return true;
}

/** Paths of everything of the project that the build was made of. */
function inputPaths(modules: string[]): string[] {
  const own = modules
    .filter((id) => id.startsWith(PROJECT_ROOT) && !id.includes("node_modules"))
    .map((id) => relative(PROJECT_ROOT, id).replaceAll("\\", "/"));
  return [...own, ...ALSO_INPUTS].sort();
}

/** Writes the files into a new folder in dist/, renames each into place, and removes what this build did not make. */
function place(files: Map<string, string | Uint8Array>, inputs: BuildInputs): void {
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const staging = join(BUILD_FOLDER, `.new-${process.pid}`);
  mkdirSync(staging);
  for (const [name, content] of files) writeFileSync(join(staging, name), content);
  writeFileSync(join(staging, "inputs.json"), JSON.stringify(inputs));
  rmSync(INPUTS_FILE, { force: true });
  rmSync(join(BUILD_FOLDER, ".compile-cache"), { recursive: true, force: true });
  for (const name of files.keys()) renameSync(join(staging, name), join(BUILD_FOLDER, name));
  renameSync(join(staging, "inputs.json"), INPUTS_FILE);
  rmSync(staging, { recursive: true });
  for (const name of globSync("*.{js,map}", { cwd: BUILD_FOLDER }))
    if (!files.has(name)) rmSync(join(BUILD_FOLDER, name));
}

if (import.meta.main) {
  const started = performance.now();
  await build();
  const bytes = globSync("*.js", { cwd: BUILD_FOLDER }).map((name) => statSync(join(BUILD_FOLDER, name)).size);
  const megabytes = bytes.reduce((sum, size) => sum + size, 0) / 1e6;
  const seconds = (performance.now() - started) / 1000;
  console.log(`dist/ is built: ${bytes.length} files, ${megabytes.toFixed(1)} MB (${seconds.toFixed(1)} s)`);
}
