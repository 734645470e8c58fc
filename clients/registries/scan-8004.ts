/** The pages of 8004scan. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { offsets, total } from "./offsets.ts";
import { NO_MORE, pagedRegistry } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

const answer = z.looseObject({ items: z.array(z.unknown()), total });
const created = z.looseObject({ created_at: z.string() });

/** 8004scan: paging by offset. A full pull reads the oldest first; a pull since a time reads the newest first down to it. */
export const scan8004Pages: OpenPages = (upstream, { chainId, pageSize }) => {
  const { pageOf, ...places } = offsets(pageSize);
  return pagedRegistry(upstream, {
    ...places,
    pageSize,
    incremental: true,
    request: (place, since) => ({
      path: "/agents",
      query: {
        chain_id: chainId,
        limit: place.size,
        offset: place.offset,
        sort_by: "created_at",
        sort_order: since === null ? "asc" : "desc",
      },
      ...(place.offset > 0 && { refused: NO_MORE }),
      read(json) {
        const { items, total } = answer.parse(json);
        const page = pageOf(items, place, total ?? null);
        if (since === null) return page;
        const last = created.safeParse(items.at(-1)).data;
        const reached = last !== undefined && Date.parse(last.created_at) < Date.parse(since);
        return { items, next: reached ? null : page.next, expected: null };
      },
    }),
  });
};
