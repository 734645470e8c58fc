/**
 * Preloaded into the Ponder process: pages of its GraphQL lists by cursor have every row once, also over columns without
 * values; and the depth of a query is that of its data, so that the standard introspection query is answered.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PONDER_ROOT } from "./ponder-package.ts";

const GRAPHQL = pathToFileURL(join(PONDER_ROOT, "dist/esm/graphql/")).href;
const OURS = new URL("./cursor-condition.ts", import.meta.url).href;

/** Texts of Ponder's modules, and what stands there instead. */
const REPLACED: [module: string, own: string, ours: string][] = [
  [
    "index.js",
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {",
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {\n    return cursorCondition(columns, orderBySchema, direction, cursorObject);",
  ],
  [
    "index.js",
    "function decodeCursor(cursor) {",
    "function decodeCursor(cursor) {\n    return cursorValues(decodeRowFragment, cursor);",
  ],
  [
    "index.js",
    'import DataLoader from "dataloader";',
    `import { cursorCondition, cursorValues } from ${JSON.stringify(OURS)};\nimport DataLoader from "dataloader";`,
  ],
  ["middleware.js", "ignoreIntrospection: false", "ignoreIntrospection: true"],
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = REPLACED.filter(([module]) => url === GRAPHQL + module);
    if (changes.length === 0 || loaded.source == null) return loaded;
    let source = loaded.source.toString();
    for (const [module, own, ours] of changes) {
      // The list of verified versions holds this too; a silent miss would bring lost rows back.
      if (source.split(own).length !== 2) throw new Error(`Ponder's graphql/${module} has no ${own}`);
      source = source.replace(own, ours);
    }
    return { ...loaded, source };
  },
});
