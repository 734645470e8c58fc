/** The API's description: /api/v2/openapi.json. The terminal's pages below /docs render it. */
import { z } from "zod";
import { type Operation, shownPricing } from "../../core/payments/prices.ts";
import { CACHE, type Endpoint, endpoint } from "../endpoint.ts";
import { openApiDocument } from "../openapi/document.ts";
import { paymentInfoOf } from "../payments/payment-info.ts";
import { written } from "../reply.ts";

const documentSchema = z.looseObject({ openapi: z.string() });

/** @param described every endpoint of the document, these included */
export function documentEndpoints(described: () => readonly Endpoint[]): Endpoint[] {
  let document: { of: string; content: string } | undefined;
  return [
    endpoint({
      method: "get",
      path: "/api/v2/openapi.json",
      operationId: "getOpenApi",
      tag: "Service",
      summary: "This API as an OpenAPI 3.0 document",
      responses: { 200: { description: "OpenAPI 3.0.3", schema: documentSchema } },
      cache: CACHE.release,
      handler({ deps: { config, payments } }) {
        // Prices and the phase change while the process runs.
        const of = JSON.stringify([config.service.publicUrl, shownPricing(payments.shown())]);
        if (document?.of !== of) {
          const paymentInfo = (operation: Operation) => paymentInfoOf(payments, operation);
          document = { of, content: JSON.stringify(openApiDocument(described(), config.service, paymentInfo)) };
        }
        return written<z.output<typeof documentSchema>>(document.content);
      },
    }),
  ];
}
