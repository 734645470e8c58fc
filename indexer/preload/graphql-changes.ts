/**
 * Preloaded into the Ponder process: pages of its GraphQL lists by cursor have every row once, also over columns without
 * values; the depth of a query is that of its data, so that the standard introspection query is answered; and what is
 * wrong with a query is told in production too (reader-queries.ts tells nothing of the database).
 */
import { replaceTexts } from "./replace-module.ts";

const OURS = new URL("./cursor-condition.ts", import.meta.url).href;

replaceTexts([
  [
    "graphql/index.js",
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {",
    "function buildCursorCondition(columns, orderBySchema, direction, cursorObject) {\n    return cursorCondition(columns, orderBySchema, direction, cursorObject);",
  ],
  [
    "graphql/index.js",
    "function decodeCursor(cursor) {",
    "function decodeCursor(cursor) {\n    return cursorValues(decodeRowFragment, cursor);",
  ],
  [
    "graphql/index.js",
    'import DataLoader from "dataloader";',
    `import { cursorCondition, cursorValues } from ${JSON.stringify(OURS)};\nimport DataLoader from "dataloader";`,
  ],
  ["graphql/middleware.js", "maskedErrors:", "maskedErrors: false &&"],
  ["graphql/middleware.js", "ignoreIntrospection: false", "ignoreIntrospection: true"],
]);
