/** Replaces a module of Ponder's by a preloaded one: the modules of Ponder that import it get the replacement. */
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

const PONDER_FILES = pathToFileURL(join(PONDER_ROOT, "dist/esm/")).href;
