/** The pages of Virtuals. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { steppedOver, total } from "./offsets.ts";
import { askSized, EMPTY_PAGE, PAGE, placeBehind, placeOf } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/** Virtuals ACP v1 (Strapi): pages by number; the cursor of a smaller page is its place. */
export const virtualsPages: OpenPages = (upstream) => {
  const answer = z.looseObject({
    data: z.array(z.unknown()),
    meta: z.looseObject({ pagination: z.looseObject({ page: z.number(), pageCount: z.number(), total }) }),
  });
  return {
    incremental: false,
    page(cursor, _since, known) {
      const { offset, size: wanted } = placeOf(cursor, typeof cursor === "number" ? (cursor - 1) * PAGE : 0);
      const behind = (size: number) => {
        const next = placeBehind(size, offset + size);
        return next.size === PAGE ? next.offset / PAGE + 1 : next;
      };
      const request = (size: number) => {
        const page = offset / size + 1;
        return {
          path: "/api/agents",
          query: { "pagination[page]": page, "pagination[pageSize]": size, sort: "id:asc" },
          behind: offset > 0,
          read(json: unknown) {
            const { data, meta } = answer.parse(json);
            // The page number in the answer is ignored: some servers answer every request with the first page.
            const { pageCount } = meta.pagination;
            return {
              items: data,
              next: data.length > 0 && page < pageCount ? behind(size) : null,
              expected: meta.pagination.total ?? null,
              ...(data.length === 0 && page <= pageCount && { cut: EMPTY_PAGE }),
            };
          },
        };
      };
      return askSized(upstream, wanted, known, request, () => steppedOver(`${offset}`, behind(1)));
    },
  };
};
