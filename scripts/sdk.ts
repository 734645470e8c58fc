/**
 * `npm run generate -- sdk`: generates the sources of the client library that follow from the endpoints. `--types` writes only the one
 * that is not committed, as `npm ci` and `npm run verify` do.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openApiDocument } from "../api/openapi/document.ts";
import { ENDPOINTS } from "../api/routes/index.ts";
import { loadConfig } from "../config/config.ts";
import type { Document } from "../sdk/generate.ts";

const isTypes = process.argv.includes("--types");
const { generate } = await import("../sdk/generate.ts").catch((error) => {
  // `npm ci --omit=dev`: nothing compiles the client library there.
  if (isTypes && error.code === "ERR_MODULE_NOT_FOUND") process.exit();
  throw error;
});
// The default configuration, so that the generated files are the same on every machine.
const { service } = loadConfig({}, { followStack: false });
const sources = await generate(openApiDocument(ENDPOINTS, service) as Document);
for (const [name, text] of Object.entries(sources)) {
  if (isTypes && name !== "openapi.ts") continue;
  const file = new URL(`../sdk/src/${name}`, import.meta.url);
  // What reads it meanwhile never finds half of it where nothing has changed.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  console.log(`sdk/src/${name}: ${text.length.toLocaleString("en")} characters`);
}
