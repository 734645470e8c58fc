/**
 * Preloaded into a Ponder process that only fills the cache, or whose index begins with a checkpoint: it names the part of the
 * history that ponder.config.ts then indexes. The part is in the module's own URL, so that no variable of the environment can
 * make an index with parts missing.
 */
import { replaceTexts } from "./replace-module.ts";

/**
 * First block of each chosen contract, and the last block of all; undefined: there is none. The other contracts get that last
 * block only. `tablesOnly`: the process ends when it has made its tables.
 */
export type FetchOnly = { from: Record<string, number>; to: number | undefined; tablesOnly?: boolean };

declare global {
  /** Undefined: the whole history. */
  var fetchOnly: FetchOnly | undefined;
}

const PART = "part";

/** The URL that preloads this module with a part. */
export const fetchOnlyUrl = (module: URL, part: FetchOnly): string => {
  const url = new URL(module);
  url.searchParams.set(PART, JSON.stringify(part));
  return url.href;
};

const part = new URL(import.meta.url).searchParams.get(PART);
if (part !== null) globalThis.fetchOnly = JSON.parse(part) as FetchOnly;
if (globalThis.fetchOnly?.tablesOnly)
  replaceTexts([["bin/commands/start.js", "await database.migrateSync();", "process.exit(0);"]]);
