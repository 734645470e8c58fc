/** Builds the web terminal into web/dist: `npm run web` always, the local stack and the tests when it is missing or old. */
import { execFile } from "node:child_process";
import { globSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const FOLDER = join(PROJECT_ROOT, "web");

/** What the bundle is made of; the schemas give types only, but `core/` is in it. */
const SOURCES = ["web/index.html", "web/icon.svg", "web/*.ts", "web/src/**/*", "core/**/*.ts", "package-lock.json"];

/** Whether there is no bundle, or one older than its sources. */
export function webIsStale(): boolean {
  const built = statSync(join(FOLDER, "dist/index.html"), { throwIfNoEntry: false });
  if (!built) return true;
  return globSync(SOURCES, { cwd: PROJECT_ROOT }).some(
    (path) => statSync(join(PROJECT_ROOT, path)).mtimeMs > built.mtimeMs,
  );
}

/**
 * Builds in a process of its own: React is built for whatever NODE_ENV says, and a test runner's says development.
 * @throws Error with the build's own words
 */
export async function buildWeb(): Promise<void> {
  const env = { PATH: dirname(process.execPath), NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [join(FOLDER, "build.ts")], { env });
}

/** Builds beside what is served and takes its place at the end, so that nobody reads half a bundle. */
async function build(): Promise<void> {
  const vite = await import("vite");
  const outDir = join(FOLDER, `dist/.build-${process.pid}`);
  await vite.build({
    configFile: join(FOLDER, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
  const old = join(FOLDER, "dist/assets");
  rmSync(old, { recursive: true, force: true });
  renameSync(join(outDir, "assets"), old);
  renameSync(join(outDir, "index.html"), join(FOLDER, "dist/index.html"));
  rmSync(outDir, { recursive: true, force: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const started = performance.now();
  await build();
  console.log(`web/dist is built (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
