/** `npm run sdk`: generates the sources of the client library that follow from the endpoints. */
import { writeFileSync } from "node:fs";
import { openApiDocument } from "../api/openapi/document.ts";
import { ENDPOINTS } from "../api/routes/index.ts";
import { loadConfig } from "../config/config.ts";
import { type Document, generate } from "../sdk/generate.ts";

// The default configuration, so that the generated files are the same on every machine.
const { service } = loadConfig({}, { followStack: false });
const sources = await generate(openApiDocument(ENDPOINTS, service) as Document);
for (const [name, text] of Object.entries(sources)) {
  const file = new URL(`../sdk/src/${name}`, import.meta.url);
  writeFileSync(file, text);
  console.log(`sdk/src/${name}: ${text.length.toLocaleString("en")} characters`);
}
