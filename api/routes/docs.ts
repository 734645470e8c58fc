/** The API's description: /api/v2/openapi.json. The terminal's pages below /docs render it. */
import { z } from "zod";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import { openApiDocument } from "../openapi/document.ts";

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
  ];
}
