/** `npm run openapi`: writes the OpenAPI document to standard output, or to the file named as the argument. */
import { writeFileSync } from "node:fs";
import { openApiDocument } from "../api/openapi/document.ts";
import { ENDPOINTS } from "../api/routes/index.ts";
import { loadConfig } from "../config/config.ts";

const text = `${JSON.stringify(openApiDocument(ENDPOINTS, loadConfig().service), null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file) writeFileSync(file, text);
else process.stdout.write(text);
