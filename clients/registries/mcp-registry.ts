/** The pages of the MCP registry. What their items mean is in core/directory/sources/. */
import { z } from "zod";
import { steppedOver } from "./offsets.ts";
import { askSized, PAGE } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/**
 * The official MCP registry: cursors, and what was updated or deleted since. Its pages shrink, but only an answer names the
 * place behind it: a single server beyond the size limit ends the pull there, and what lies behind is not taken for gone.
 */
export const mcpRegistryPages: OpenPages = (upstream) => {
  const answer = z.looseObject({
    servers: z.array(z.unknown()).nullable(),
    metadata: z.looseObject({ nextCursor: z.string().nullish() }).nullish(),
  });
  return {
    incremental: true,
    page(cursor, since, known) {
      const request = (size: number) => ({
        path: "/v0.1/servers",
        query: {
          limit: size,
          version: "latest",
          cursor: typeof cursor === "string" ? cursor : undefined,
          updated_since: since ?? undefined,
          include_deleted: since === null ? undefined : "true",
        },
        behind: typeof cursor === "string",
        read(json: unknown) {
          const { servers, metadata } = answer.parse(json);
          return { items: servers ?? [], next: metadata?.nextCursor || null, expected: null };
        },
      });
      return askSized(upstream, PAGE, since === null ? known : null, request, () => ({
        ...steppedOver(typeof cursor === "string" ? `after ${cursor}` : "first", null),
        cut: "A server of the registry is too large to be read, and only its answer says where the next one is.",
      }));
    },
  };
};
