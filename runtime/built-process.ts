/** What every process of the build does before its own first line: use the compile cache, name sources in error stacks. */
import { readFileSync } from "node:fs";
import { enableCompileCache, SourceMap } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * V8's compiled code is kept in `.compile-cache` of the build from one start to the next. Stacks are translated when one
 * is first read: Node's own `--enable-source-maps` parses every map at the start, which takes 100 ms of CPU.
 * @param folder of the build
 */
export function beginBuiltProcess(folder = import.meta.dirname): void {
  enableCompileCache(join(folder, ".compile-cache"));
  const translated = frameTranslator(folder);
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

/** Places whose source is kept, so that an error which comes often reads no map again. */
const MAX_PLACES = 2_000;

/** @returns a function that writes one frame of a stack with its place in the source instead of that in the build */
function frameTranslator(folder: string): (frame: string) => string {
  const base = pathToFileURL(folder).href.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const place = new RegExp(`${base}/([\\w.-]+\\.js):(\\d+):(\\d+)`);
  // A map in memory is ten times its code: it is there for as long as nothing else needs the room.
  const maps = new Map<string, WeakRef<SourceMap>>();
  const sources = new Map<string, string>();
  const mapOf = (file: string): SourceMap | null => {
    const kept = maps.get(file)?.deref();
    const map = kept ?? readMap(join(folder, `${file}.map`));
    if (map && !kept) maps.set(file, new WeakRef(map));
    return map;
  };
  const sourceOf = (built: string, file: string, line: string, column: string): string => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !("fileName" in origin)) return built;
    return `${pathToFileURL(resolve(folder, origin.fileName)).href}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  return (frame) =>
    frame.replace(place, (built, file: string, line: string, column: string) => {
      const known = sources.get(built);
      if (known !== undefined) return known;
      const source = sourceOf(built, file, line, column);
      if (sources.size >= MAX_PLACES) sources.clear();
      sources.set(built, source);
      return source;
    });
}

/** @returns null when no map can be read: a stack without sources is better than an error in its place */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}
