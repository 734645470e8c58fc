/** Builds the web terminal into web/dist: `npm run generate -- web` always, the local stack and the tests when it is missing or old. */
import { execFile } from "node:child_process";
import { globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const FOLDER = join(PROJECT_ROOT, "web");

/** Sources of the bundle: `core/` and the guides are bundled, and so is what the schemas say of the fields of forms. */
const SOURCES = [
  "web/index.html",
  "web/icon.svg",
  "web/*.ts",
  "web/src/**/*",
  "core/**/*.ts",
  "api/schemas/*.ts",
  "docs/use/*.md",
  "sdk/README.md",
  "package-lock.json",
];

/** True without a bundle, or when it is older than its sources. */
export function webIsStale(): boolean {
  const built = statSync(join(FOLDER, "dist/index.html"), { throwIfNoEntry: false });
  if (!built) return true;
  return globSync(SOURCES, { cwd: PROJECT_ROOT }).some(
    (path) => statSync(join(PROJECT_ROOT, path)).mtimeMs > built.mtimeMs,
  );
}

/**
 * Builds in a process of its own: NODE_ENV decides which React is bundled, and a test runner's value gives the development build.
 * @throws Error with the build's own words
 */
export async function buildWeb(): Promise<void> {
  const env = { PATH: dirname(process.execPath), NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [join(FOLDER, "build.ts")], { env });
}

/** For how long, and up to how many bytes, files of former builds are served: a tab that is open over a deployment loads them on demand. */
const FORMER_MS = 24 * 3_600_000;
const MAX_FORMER_BYTES = 16 * 1024 ** 2;

/**
 * Puts the files that the new build has no more into `dist/former`, each with the time as its own, and removes there what is too old or too much.
 * @param dist has the files of the last build in `assets`
 * @param current names of the files of the new build
 */
export function retire(dist: string, current: ReadonlySet<string>, now = Date.now()): void {
  const [assets, former] = [join(dist, "assets"), join(dist, "former")];
  mkdirSync(former, { recursive: true });
  for (const name of globSync("*", { cwd: assets })) {
    if (current.has(name)) continue;
    renameSync(join(assets, name), join(former, name));
    utimesSync(join(former, name), now / 1000, now / 1000);
  }
  const kept = globSync("*", { cwd: former })
    .map((name) => ({ name, ...statSync(join(former, name)) }))
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const { name, size, mtimeMs } of kept) {
    const isKept = !current.has(name) && mtimeMs >= now - FORMER_MS && bytes + size <= MAX_FORMER_BYTES;
    if (isKept) bytes += size;
    else rmSync(join(former, name));
  }
}

/** Builds into a second folder and renames it at the end, so that no reader sees half a bundle. */
async function build(): Promise<void> {
  const vite = await import("vite");
  const outDir = join(FOLDER, `dist/.build-${process.pid}`);
  await vite.build({
    configFile: join(FOLDER, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
  const old = join(FOLDER, "dist/assets");
  retire(join(FOLDER, "dist"), new Set(globSync("*", { cwd: join(outDir, "assets") })));
  rmSync(old, { recursive: true, force: true });
  renameSync(join(outDir, "assets"), old);
  for (const name of ["views.json", "index.html"]) renameSync(join(outDir, name), join(FOLDER, "dist", name));
  rmSync(outDir, { recursive: true, force: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const started = performance.now();
  await build();
  console.log(`web/dist is built (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
