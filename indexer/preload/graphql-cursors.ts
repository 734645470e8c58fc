/** Preloaded into the Ponder process: pages of its GraphQL lists by cursor have every row once, also over columns without values. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PONDER_ROOT } from "./ponder-package.ts";

const GRAPHQL = pathToFileURL(join(PONDER_ROOT, "dist/esm/graphql/index.js")).href;
const OURS = new URL("./cursor-condition.ts", import.meta.url).href;

/** Functions of Ponder's module by their beginning, and what they begin with instead. */
const REPLACED: [string, string][] = [
  [
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {",
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {\n    return cursorCondition(columns, orderBySchema, direction, cursorObject);",
  ],
  [
    "function decodeCursor(cursor) {",
    "function decodeCursor(cursor) {\n    return cursorValues(decodeRowFragment, cursor);",
  ],
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== GRAPHQL || loaded.source == null) return loaded;
    let source = loaded.source.toString();
    for (const [own, ours] of REPLACED) {
      // The list of verified versions holds this too; a silent miss would bring lost rows back.
      if (source.split(own).length !== 2) throw new Error(`Ponder's GraphQL has no ${own}`);
      source = source.replace(own, ours);
    }
    return { ...loaded, source: `import { cursorCondition, cursorValues } from ${JSON.stringify(OURS)};\n${source}` };
  },
});
