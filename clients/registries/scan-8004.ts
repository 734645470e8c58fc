/** The pages of 8004scan. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { offsetPage, overOffset, total } from "./offsets.ts";
import { askSized, placeOf } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/** 8004scan: paging by offset. A full pull reads the oldest first; a pull since a time reads the newest first down to it. */
export const scan8004Pages: OpenPages = (upstream, { chainId }) => {
  const answer = z.looseObject({ items: z.array(z.unknown()), total });
  const created = z.looseObject({ created_at: z.string() });
  return {
    incremental: true,
    page(cursor, since, known) {
      const at = placeOf(cursor, typeof cursor === "number" ? cursor : 0);
      const { offset } = at;
      const request = (size: number) => ({
        path: "/agents",
        query: {
          chain_id: chainId,
          limit: size,
          offset,
          sort_by: "created_at",
          sort_order: since === null ? "asc" : "desc",
        },
        behind: offset > 0,
        read(json: unknown) {
          const { items, total } = answer.parse(json);
          const page = offsetPage(items, { offset, size }, total ?? null);
          if (since === null) return page;
          const last = created.safeParse(items.at(-1)).data;
          const reached = last !== undefined && Date.parse(last.created_at) < Date.parse(since);
          return { items, next: reached ? null : page.next, expected: null };
        },
      });
      return askSized(upstream, at.size, since === null ? known : null, request, () => overOffset(offset));
    },
  };
};
