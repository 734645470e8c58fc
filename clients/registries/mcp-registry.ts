/** The pages of the MCP registry. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { NO_MORE, pagedRegistry, placeBehind } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

const answer = z.looseObject({
  servers: z.array(z.unknown()).nullable(),
  metadata: z.looseObject({ nextCursor: z.string().nullish() }).nullish(),
});

/** A page: the cursor before it, its number of items, and the items since the last full page. */
const reduced = z.object({ after: z.string().nullable(), offset: z.int().min(0), size: z.int().min(1) });

/**
 * The official MCP registry: paging by cursors, and servers updated or deleted since a time. Pages can be made smaller, but
 * only an answer has the cursor of the next page. So a single server that cannot be read ends the pull, and the servers
 * after it are not treated as removed.
 */
export const mcpRegistryPages: OpenPages = (upstream, { pageSize }) =>
  pagedRegistry(upstream, {
    pageSize,
    incremental: true,
    placeOf: (cursor) =>
      reduced.safeParse(cursor).data ?? {
        after: typeof cursor === "string" ? cursor : null,
        offset: 0,
        size: pageSize,
      },
    behind: () => undefined,
    nameOf: ({ after }) => (after === null ? "first" : `after ${after}`),
    request: ({ after, offset, size }, since) => ({
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
        const next = metadata?.nextCursor || null;
        const behind = placeBehind({ offset, size }, pageSize);
        const full = next === null || behind.size === pageSize;
        return { items: servers ?? [], next: full ? next : { ...behind, after: next }, expected: null };
      },
    }),
  });
