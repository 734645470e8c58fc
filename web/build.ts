/** Builds the web terminal into web/dist: `npm run web` always, the local stack and the tests when it is missing or old. */
import { globSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, "..");

/** What the bundle is made of; the schemas give types only, but `core/` is in it. */
const SOURCES = ["web/index.html", "web/icon.svg", "web/*.ts", "web/src/**/*", "core/**/*.ts", "package-lock.json"];

/** Whether there is no bundle, or one older than its sources. */
export function webIsStale(): boolean {
  const built = statSync(join(FOLDER, "dist/index.html"), { throwIfNoEntry: false });
  if (!built) return true;
  return globSync(SOURCES, { cwd: ROOT }).some((path) => statSync(join(ROOT, path)).mtimeMs > built.mtimeMs);
}

/**
 * Builds beside what is served and takes its place at the end, so that nobody reads half a bundle.
 * @throws the build error
 */
export async function buildWeb(): Promise<void> {
  const { build } = await import("vite");
  const outDir = join(FOLDER, `dist/.build-${process.pid}`);
  await build({ configFile: join(FOLDER, "vite.config.ts"), logLevel: "warn", build: { outDir, emptyOutDir: true } });
  const old = join(FOLDER, "dist/assets");
  rmSync(old, { recursive: true, force: true });
  renameSync(join(outDir, "assets"), old);
  renameSync(join(outDir, "index.html"), join(FOLDER, "dist/index.html"));
  rmSync(outDir, { recursive: true, force: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const started = performance.now();
  await buildWeb();
  console.log(`web/dist is built (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
