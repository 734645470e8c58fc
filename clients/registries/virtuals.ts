/** The pages of Virtuals. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { offsets, total } from "./offsets.ts";
import { EMPTY_PAGE, NO_MORE, pagedRegistry } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

const answer = z.looseObject({
  data: z.array(z.unknown()),
  meta: z.looseObject({ pagination: z.looseObject({ page: z.number(), pageCount: z.number(), total }) }),
});

/** Virtuals ACP v1 (Strapi): pages by number, so the cursor of a full page is its number. */
export const virtualsPages: OpenPages = (upstream, { pageSize }) => {
  const { pageOf: _, ...places } = offsets(pageSize, {
    offsetOf: (page) => (page - 1) * pageSize,
    numberOf: (offset) => offset / pageSize + 1,
  });
  return pagedRegistry(upstream, {
    ...places,
    pageSize,
    incremental: false,
    request(place) {
      const page = place.offset / place.size + 1;
      return {
        path: "/api/agents",
        query: { "pagination[page]": page, "pagination[pageSize]": place.size, sort: "id:asc" },
        ...(place.offset > 0 && { refused: NO_MORE }),
        read(json) {
          const { data, meta } = answer.parse(json);
          // The page number in the answer is ignored: some servers answer every request with the first page.
          const { pageCount, total } = meta.pagination;
          return {
            items: data,
            next: data.length > 0 && page < pageCount ? places.behind(place) : null,
            expected: total ?? null,
            ...(data.length === 0 && page <= pageCount && { cut: EMPTY_PAGE }),
          };
        },
      };
    },
  });
};
