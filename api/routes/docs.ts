/** The API's description: /api/v2/openapi.json, and /docs which renders it from files of our own, without any other site. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import { openApiDocument } from "../openapi/document.ts";

/** The page runs its own script and nothing else; Swagger UI sets styles on elements and draws with data: images. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: "/api/v2/openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null });
`;

const library = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const FILES: Record<string, { type: string; content: () => string }> = {
  "swagger-ui.css": { type: "text/css; charset=utf-8", content: () => fromLibrary("swagger-ui.css") },
  "swagger-ui-bundle.js": {
    type: "text/javascript; charset=utf-8",
    content: () => fromLibrary("swagger-ui-bundle.js"),
  },
  "start.js": { type: "text/javascript; charset=utf-8", content: () => START },
};

const read = new Map<string, string>();
function fromLibrary(file: string): string {
  const known = read.get(file) ?? readFileSync(join(library, file), "utf8");
  read.set(file, known);
  return known;
}

/** @param described every endpoint of the document, these included */
export function documentEndpoints(described: () => readonly Endpoint[]): Endpoint[] {
  let document: { publicUrl: string; content: string } | undefined;
  return [
    endpoint({
      method: "get",
      path: "/api/v2/openapi.json",
      operationId: "getOpenApi",
      tag: "Service",
      summary: "This API as an OpenAPI 3.0 document",
      responses: { 200: { description: "OpenAPI 3.0.3", schema: z.looseObject({ openapi: z.string() }) } },
      cache: CACHE.release,
      handler({ deps: { config } }) {
        const { publicUrl } = config.service;
        if (document?.publicUrl !== publicUrl)
          document = { publicUrl, content: JSON.stringify(openApiDocument(described(), config.service)) };
        return { status: 200, type: "application/json; charset=utf-8", content: document.content };
      },
    }),
    endpoint({
      method: "get",
      path: "/docs",
      operationId: "getDocs",
      tag: "Service",
      summary: "This API for people",
      responses: { 200: { description: "A page", type: "text/html" } },
      cache: CACHE.release,
      unlisted: true,
      handler: ({ deps }) => ({
        status: 200,
        type: "text/html; charset=utf-8",
        content: page(`${deps.config.service.name} API`),
        headers: { "content-security-policy": PAGE_POLICY },
      }),
    }),
    endpoint({
      method: "get",
      path: "/docs/{file}",
      operationId: "getDocsFile",
      tag: "Service",
      summary: "A file of the page",
      params: z.object({ file: z.string() }),
      responses: { 200: { description: "The file", type: "*/*" } },
      errors: ["not_found"],
      cache: CACHE.release,
      unlisted: true,
      handler({ params }) {
        const file = Object.hasOwn(FILES, params.file) ? FILES[params.file] : undefined;
        if (!file) return fail("not_found", "There is no such file.");
        return { status: 200, type: file.type, content: file.content() };
      },
    }),
  ];
}
