/** Replaces modules of Ponder, and texts in them, by preloaded ones: the modules of Ponder that import them get the replacement. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PONDER_ROOT } from "./ponder-package.ts";

const urlOf = (path: string): string => pathToFileURL(join(PONDER_ROOT, "dist/esm", path)).href;

/** Ponder's own module. @param path below its `dist/esm` */
export const ponderModule = <T>(path: string): Promise<T> => import(urlOf(path)) as Promise<T>;

/**
 * Replaces a module of Ponder, which must not be loaded yet. The replacement still gets the original by `ponderModule`.
 * @param path below Ponder's `dist/esm`
 * @param replacement URL of a module with every export of the original that Ponder imports
 */
export function replaceModule(path: string, replacement: string): void {
  const original = urlOf(path);
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const own = context.parentURL?.startsWith(PONDER_FILES) === true;
      return own && found.url === original ? next(replacement, context) : found;
    },
  });
}

/** A text that a module of Ponder has once, and what stands there instead. `path` is below Ponder's `dist/esm`. */
export type ReplacedText = [path: string, own: string, ours: string];

/**
 * Replaces texts of modules, which must not be loaded yet. One that is missing fails the load of its module; the list of
 * verified versions holds it too, and a silent miss would bring the fault back.
 */
export function replaceTexts(texts: readonly ReplacedText[]): void {
  const byModule = Map.groupBy(texts, ([path]) => urlOf(path));
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const changes = byModule.get(url);
      if (changes === undefined || loaded.source == null) return loaded;
      let source = loaded.source.toString();
      for (const [path, own, ours] of changes) {
        if (source.split(own).length !== 2) throw new Error(`Ponder's ${path} has no ${own}`);
        source = source.replace(own, () => ours);
      }
      return { ...loaded, source };
    },
  });
}

const PONDER_FILES = pathToFileURL(join(PONDER_ROOT, "dist/esm/")).href;
