/** The pages of the x402 Bazaar. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { offsets, total } from "./offsets.ts";
import { NO_MORE, pagedRegistry } from "./paged-registry.ts";
import type { OpenPages } from "./pages.ts";

const answer = z.looseObject({ items: z.array(z.unknown()), pagination: z.looseObject({ total }).nullish() });

/** The x402 Bazaar: paging by offset. */
export const x402BazaarPages: OpenPages = (upstream, { pageSize }) => {
  const { pageOf, ...places } = offsets(pageSize);
  return pagedRegistry(upstream, {
    ...places,
    pageSize,
    incremental: false,
    request: (place) => ({
      path: "/platform/v2/x402/discovery/resources",
      query: { type: "http", limit: place.size, offset: place.offset },
      ...(place.offset > 0 && { refused: NO_MORE }),
      read(json) {
        const { items, pagination } = answer.parse(json);
        return pageOf(items, place, pagination?.total ?? null);
      },
    }),
  });
};
