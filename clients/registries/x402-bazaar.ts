/** The pages of the x402 Bazaar. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { offsetPage, overOffset, total } from "./offsets.ts";
import { askSized, placeOf } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/** The x402 Bazaar: paging by offset. */
export const x402BazaarPages: OpenPages = (upstream) => {
  const answer = z.looseObject({ items: z.array(z.unknown()), pagination: z.looseObject({ total }).nullish() });
  return {
    incremental: false,
    page(cursor, _since, known) {
      const at = placeOf(cursor, typeof cursor === "number" ? cursor : 0);
      const { offset } = at;
      const request = (size: number) => ({
        path: "/platform/v2/x402/discovery/resources",
        query: { type: "http", limit: size, offset },
        behind: offset > 0,
        read(json: unknown) {
          const { items, pagination } = answer.parse(json);
          return offsetPage(items, { offset, size }, pagination?.total ?? null);
        },
      });
      return askSized(upstream, at.size, known, request, () => overOffset(offset));
    },
  };
};
