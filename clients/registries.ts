/** The pages of the foreign registries, each as the registry words them. What their items mean is in core/terminal/sources/. */
import { z } from "zod";
import type { Upstream } from "./http.ts";
import type { Registry } from "./ports.ts";
import { askPage, EMPTY_PAGE } from "./registry-pages.ts";

const PAGE = 100;
/** How many items a registry says it has: a count that fits its column, or none. */
const total = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

/** Virtuals ACP v1 (Strapi): pages by number. */
export function virtualsRegistry(upstream: Upstream): Registry {
  const answer = z.looseObject({
    data: z.array(z.unknown()),
    meta: z.looseObject({ pagination: z.looseObject({ page: z.number(), pageCount: z.number(), total }) }),
  });
  return {
    incremental: false,
    page(cursor, _since, known) {
      const page = typeof cursor === "number" ? cursor : 1;
      return askPage(upstream, {
        path: "/api/agents",
        query: { "pagination[page]": page, "pagination[pageSize]": PAGE, sort: "id:asc" },
        behind: page > 1,
        known,
        read(json) {
          const { data, meta } = answer.parse(json);
          // What the server takes for the page's number decides nothing: some answer the first page to everything.
          const { pageCount } = meta.pagination;
          return {
            items: data,
            next: data.length > 0 && page < pageCount ? page + 1 : null,
            expected: meta.pagination.total ?? null,
            ...(data.length === 0 && page <= pageCount && { cut: EMPTY_PAGE }),
          };
        },
      });
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
  });
  return {
    incremental: false,
    overlapping: true,
    page(cursor) {
      const { part, offset } = place.safeParse(cursor).data ?? { part: 0, offset: 0 };
      return askPage(upstream, {
        path: "/v1/search/agents",
        body: {
          search_text: "",
          filters: { state: ["active"] },
          ...parts[part],
          offset,
          limit: PAGE,
          exact_match: false,
          semantic_search: false,
        },
        behind: offset > 0,
        known: null,
        read(json) {
          const { agents, total } = answer.parse(json);
          const behind = offset + agents.length;
          const more = agents.length > 0 && behind < Math.min(cap, total ?? cap);
          // When all matches lie below the cap, one direction has shown them all.
          const capped = (total ?? 0) >= cap;
          const another = part + 1 < parts.length && capped;
          const next = more ? { part, offset: behind } : another ? { part: part + 1, offset: 0 } : null;
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
    },
  };
}

/** The official MCP registry: cursors, and what was updated or deleted since. */
export function mcpRegistryPages(upstream: Upstream): Registry {
  const answer = z.looseObject({
    servers: z.array(z.unknown()).nullable(),
    metadata: z.looseObject({ nextCursor: z.string().nullish() }).nullish(),
  });
  return {
    incremental: true,
    page: (cursor, since, known) =>
      askPage(upstream, {
        path: "/v0.1/servers",
        query: {
          limit: PAGE,
          version: "latest",
          cursor: typeof cursor === "string" ? cursor : undefined,
          updated_since: since ?? undefined,
          include_deleted: since === null ? undefined : "true",
        },
        behind: typeof cursor === "string",
        known: since === null ? known : null,
        read(json) {
          const { servers, metadata } = answer.parse(json);
          return { items: servers ?? [], next: metadata?.nextCursor || null, expected: null };
        },
      }),
  };
}

/** The x402 Bazaar: offsets. */
export function x402BazaarRegistry(upstream: Upstream): Registry {
  const answer = z.looseObject({ items: z.array(z.unknown()), pagination: z.looseObject({ total }).nullish() });
  return {
    incremental: false,
    page(cursor, _since, known) {
      const offset = typeof cursor === "number" ? cursor : 0;
      return askPage(upstream, {
        path: "/platform/v2/x402/discovery/resources",
        query: { type: "http", limit: PAGE, offset },
        behind: offset > 0,
        known,
        read(json) {
          const { items, pagination } = answer.parse(json);
          return offsetPage(items, offset, pagination?.total ?? null);
        },
      });
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
      const offset = typeof cursor === "number" ? cursor : 0;
      return askPage(upstream, {
        path: "/agents",
        query: {
          chain_id: chainId,
          limit: PAGE,
          offset,
          sort_by: "created_at",
          sort_order: since === null ? "asc" : "desc",
        },
        behind: offset > 0,
        known: since === null ? known : null,
        read(json) {
          const { items, total } = answer.parse(json);
          const page = offsetPage(items, offset, total ?? null);
          if (since === null) return page;
          const last = created.safeParse(items.at(-1)).data;
          const reached = last !== undefined && Date.parse(last.created_at) < Date.parse(since);
          return { items, next: reached ? null : page.next, expected: null };
        },
      });
    },
  };
}

/** A page by its offset. @param all how many items there are, as the registry says */
function offsetPage(items: readonly unknown[], offset: number, all: number | null) {
  const behind = offset + items.length;
  const more = items.length > 0 && (all === null ? items.length === PAGE : behind < all);
  const short = items.length === 0 && all !== null && offset < all;
  return { items, next: more ? behind : null, expected: all, ...(short && { cut: EMPTY_PAGE }) };
}
