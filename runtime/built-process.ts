/** What every process of the build does before its own first line: use the compile cache, name sources in error stacks. */
import { readFileSync } from "node:fs";
import { enableCompileCache, SourceMap } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = import.meta.dirname;
const PLACE = new RegExp(
  `${pathToFileURL(FOLDER).href.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}/([\\w.-]+\\.js):(\\d+):(\\d+)`,
);

/**
 * V8's compiled code is kept in dist/.compile-cache from one start to the next. Stacks are translated when one is
 * first read: Node's own `--enable-source-maps` reads and parses every map at the start, which takes 100 ms of CPU.
 */
export function beginBuiltProcess(): void {
  enableCompileCache(join(FOLDER, ".compile-cache"));
  Error.prepareStackTrace = (error, frames) =>
    [headline(error), ...frames.map((frame) => `    at ${translated(String(frame))}`)].join("\n");
}

function headline(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

const maps = new Map<string, SourceMap | null>();

/** The map of a file of the build; null where there is none. */
function mapOf(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(join(FOLDER, `${file}.map`), "utf8")));
    } catch {
      map = null;
    }
    maps.set(file, map);
  }
  return map;
}

/** One frame of a stack, with the place in the source instead of the one in the build. */
function translated(frame: string): string {
  return frame.replace(PLACE, (place, file: string, line: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !("fileName" in origin)) return place;
    return `${pathToFileURL(resolve(FOLDER, origin.fileName)).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}
