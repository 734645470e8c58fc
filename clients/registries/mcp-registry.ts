/** The pages of the MCP registry. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { steppedOver } from "./offsets.ts";
import { askSized, PAGE } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/**
 * The official MCP registry: paging by cursors, and servers updated or deleted since a time. Pages can be made smaller, but
 * only an answer has the cursor of the next page. So a single server that exceeds the size limit ends the pull, and the
 * servers after it are not treated as removed.
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
