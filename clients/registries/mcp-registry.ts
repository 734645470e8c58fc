/** The pages of the MCP registry. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { NO_MORE, pagedRegistry } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

const answer = z.looseObject({
  servers: z.array(z.unknown()).nullable(),
  metadata: z.looseObject({ nextCursor: z.string().nullish() }).nullish(),
});

/**
 * The official MCP registry: paging by cursors, and servers updated or deleted since a time. Pages can be made smaller, but
 * only an answer has the cursor of the next page. So a single server that cannot be read ends the pull, and the servers
 * after it are not treated as removed.
 */
export const mcpRegistryPages: OpenPages = (upstream, { pageSize }) =>
  pagedRegistry(upstream, {
    pageSize,
    incremental: true,
    placeOf: (cursor) => ({ after: typeof cursor === "string" ? cursor : null, size: pageSize }),
    behind: () => undefined,
    nameOf: ({ after }) => (after === null ? "first" : `after ${after}`),
    request: ({ after, size }, since) => ({
      path: "/v0.1/servers",
      query: {
        limit: size,
        version: "latest",
        cursor: after ?? undefined,
        updated_since: since ?? undefined,
        include_deleted: since === null ? undefined : "true",
      },
      ...(after !== null && { refused: NO_MORE }),
      read(json) {
        const { servers, metadata } = answer.parse(json);
        return { items: servers ?? [], next: metadata?.nextCursor || null, expected: null };
      },
    }),
  });
