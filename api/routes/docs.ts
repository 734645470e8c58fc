/** The API's description: /api/v2/openapi.json. The terminal's pages below /docs render it. */
import { z } from "zod";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import { pricedDocument } from "../openapi/priced-document.ts";
import { written } from "../reply.ts";

const documentSchema = z.looseObject({ openapi: z.string() });

/** @param described every endpoint of the document, these included */
export function documentEndpoints(described: () => readonly Endpoint[]): Endpoint[] {
  return [
    endpoint({
      path: "/api/v2/openapi.json",
      operationId: "getOpenApi",
      tag: "Service",
      summary: "This API as an OpenAPI 3.0 document",
      responses: { 200: { description: "OpenAPI 3.0.3", schema: documentSchema } },
      cache: CACHE.release,
      handler: ({ deps }) => written<z.output<typeof documentSchema>>(pricedDocument(described(), deps).content),
    }),
  ];
}
