/** The pages of the foreign registries, each as the registry words them. What their items mean is in core/directory/sources/. */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import type { Registry } from "./ports.ts";
import { askSized, EMPTY_PAGE, PAGE, type Place, placeBehind, placeOf } from "./registry-pages.ts";

/** How many items a registry says it has: a count that fits its column, or none. */
const total = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

/** Virtuals ACP v1 (Strapi): pages by number; a smaller one is named by its place. */
export function virtualsRegistry(upstream: Upstream): Registry {
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
            // What the server takes for the page's number decides nothing: some answer the first page to everything.
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
}

/**
 * Agentverse: a search that gives no more than its first 10,000 matches. The sweep is cut into directions: the oldest
 * 10,000 and the newest 10,000 by creation, which meet unless there are more; then those used most and changed last.
 */
export function agentverseRegistry(upstream: Upstream): Registry {
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
          // When all matches lie below the cap, one direction has shown them all.
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
}

/**
 * The official MCP registry: cursors, and what was updated or deleted since. Its pages shrink, but only an answer names the
 * place behind it: a single server beyond the size limit ends the pull there, and what lies behind is not taken for gone.
 */
export function mcpRegistryPages(upstream: Upstream): Registry {
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
}

/** The x402 Bazaar: offsets. */
export function x402BazaarRegistry(upstream: Upstream): Registry {
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
}

/** 8004scan: offsets, the oldest first; since a moment, the newest first until it is reached. */
export function scan8004Registry(upstream: Upstream, chainId: number): Registry {
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
}

/** A page by its offset. @param all how many items there are, as the registry says */
function offsetPage(items: readonly unknown[], { offset, size }: Place, all: number | null) {
  const behind = offset + items.length;
  const more = items.length > 0 && (all === null ? items.length === size : behind < all);
  const short = items.length === 0 && all !== null && offset < all;
  const next = more ? offsetCursor(placeBehind(size, behind)) : null;
  return { items, next, expected: all, ...(short && { cut: EMPTY_PAGE }) };
}

/** Full pages are named by their offset alone. */
const offsetCursor = ({ offset, size }: Place) => (size === PAGE ? offset : { offset, size });
const cursorOf = ({ offset, size }: Place) => (size === PAGE ? { offset } : { offset, size });

/** What stands for a single item beyond the size limit. @param place names it within the registry */
const steppedOver = (place: string, next: unknown) => ({ items: [], next, expected: null, steppedOver: place });
const overOffset = (offset: number) => steppedOver(`${offset}`, offsetCursor(placeBehind(1, offset + 1)));
