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
 * Puts a build in place of the last one, file by file, so that a reader never sees half a bundle, and builds that end at the
 * same time do not disturb each other: what is new is there before the page that names it, what is not named any more goes
 * last, and what one takes for old that the other has just built is served from `former`.
 * @param built folder of the new build; it is removed
 */
export function putInPlace(built: string, dist: string, now = Date.now()): void {
  const assets = globSync("*", { cwd: join(built, "assets") });
  for (const folder of ["assets", "former"]) mkdirSync(join(dist, folder), { recursive: true });
  for (const path of [...assets.map((name) => `assets/${name}`), "views.json", "index.html"])
    renameSync(join(built, path), join(dist, path));
  rmSync(built, { recursive: true });
  retire(dist, new Set(assets), now);
}

/** Puts files that the new build has no more into `dist/former`, each with the time as its own, and removes there what is too old or too much. */
function retire(dist: string, current: ReadonlySet<string>, now: number): void {
  const [assets, former] = [join(dist, "assets"), join(dist, "former")];
  for (const name of globSync("*", { cwd: assets })) {
    if (current.has(name)) continue;
    try {
      utimesSync(join(assets, name), now / 1000, now / 1000);
      renameSync(join(assets, name), join(former, name));
    } catch (error) {
      // Another build that ends now has moved it.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  const kept = globSync("*", { cwd: former })
    .map((name) => ({ name, of: statSync(join(former, name), { throwIfNoEntry: false }) }))
    .toSorted((a, b) => (b.of?.mtimeMs ?? 0) - (a.of?.mtimeMs ?? 0));
  let bytes = 0;
  for (const { name, of } of kept) {
    const isKept = of && of.mtimeMs >= now - FORMER_MS && bytes + of.size <= MAX_FORMER_BYTES;
    if (isKept) bytes += of.size;
    else rmSync(join(former, name), { force: true });
  }
}

/** Builds into a folder of its own. */
async function build(): Promise<void> {
  const vite = await import("vite");
  const outDir = join(FOLDER, `dist/.build-${process.pid}`);
  await vite.build({
    configFile: join(FOLDER, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
  putInPlace(outDir, join(FOLDER, "dist"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const started = performance.now();
  await build();
  console.log(`web/dist is built (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
