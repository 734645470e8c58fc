/** The pages of Agentverse. core/directory/registry-readers/ reads their items. */
import { z } from "zod";
import { cursorOf, steppedOver, total } from "./offsets.ts";
import { askSized, placeBehind, placeOf } from "./page-request.ts";
import type { OpenPages } from "./pages.ts";

/**
 * Agentverse: a search that returns only its first 10,000 matches. So the sweep has several orders: the oldest 10,000 and
 * the newest 10,000 by creation, which cover all unless there are more; then the most used and the last changed.
 */
export const agentversePages: OpenPages = (upstream) => {
  const answer = z.looseObject({ agents: z.array(z.unknown()), total });
  const parts = [
    { sort: "created-at", direction: "asc" },
    { sort: "created-at", direction: "desc" },
    { sort: "interactions", direction: "desc" },
    { sort: "last-modified", direction: "desc" },
  ] as const;
  const cap = 10_000;
  const place = z.object({
    part: z
      .number()
      .int()
      .min(0)
      .max(parts.length - 1),
    offset: z.number().int().min(0),
    size: z.number().optional(),
  });
  return {
    incremental: false,
    overlapping: true,
    page(cursor) {
      const { part, ...at } = place.safeParse(cursor).data ?? { part: 0, offset: 0 };
      const { offset, size: wanted } = placeOf(at, at.offset);
      const behind = (size: number, end: number) => ({ part, ...cursorOf(placeBehind(size, end)) });
      const request = (size: number) => ({
        path: "/v1/search/agents",
        body: {
          search_text: "",
          filters: { state: ["active"] },
          ...parts[part],
          offset,
          limit: size,
          exact_match: false,
          semantic_search: false,
        },
        behind: offset > 0,
        read(json: unknown) {
          const { agents, total } = answer.parse(json);
          const end = offset + agents.length;
          const more = agents.length > 0 && end < Math.min(cap, total ?? cap);
          // With a total below the cap, one order returns all matches.
          const capped = (total ?? 0) >= cap;
          const another = part + 1 < parts.length && capped;
          const next = more ? behind(size, end) : another ? { part: part + 1, offset: 0 } : null;
          const short = agents.length === 0 && offset < Math.min(cap, total ?? 0);
          return {
            items: agents,
            next,
            expected: capped ? null : (total ?? null),
            ...(part === 1 && { meets: true as const }),
            ...((short || (capped && next === null)) && { cut: `Agentverse gives ${cap} agents of a search at most.` }),
          };
        },
      });
      return askSized(upstream, wanted, null, request, () =>
        steppedOver(`${parts[part]!.sort} ${parts[part]!.direction} ${offset}`, behind(1, offset + 1)),
      );
    },
  };
};
