/** The pages of the foreign registries, whose items core/directory/registry-readers/ reads: an opener for each row of core/directory/registries.ts. A missing one is a compile error. */
import { z } from "zod";
import { REGISTRIES, type RegistryKey, type RegistryRow } from "../core/directory/registries.ts";
import { isLoopback } from "./http/public-address.ts";
import type { Http } from "./http.ts";
import type { Registries } from "./ports.ts";
import { agentversePages } from "./registries/agentverse.ts";
import { offsets, total } from "./registries/offsets.ts";
import { EMPTY_PAGE, NO_MORE, type OpenPages, pagedRegistry, placeBehind } from "./registries/paged-registry.ts";

const mcpAnswer = z.looseObject({
  servers: z.array(z.unknown()).nullable(),
  metadata: z.looseObject({ nextCursor: z.string().nullish() }).nullish(),
});

/** A page: the cursor before it, its number of items, and the items since the last full page. */
const mcpPlace = z.object({ after: z.string().nullable(), offset: z.int().min(0), size: z.int().min(1) });

/**
 * The official MCP registry: paging by cursors, and servers updated or deleted since a time. Pages can be made smaller, but
 * only an mcpAnswer has the cursor of the next page. So a single server that cannot be read ends the pull, and the servers
 * after it are not treated as removed.
 */
const mcpRegistryPages: OpenPages = (upstream, { pageSize }) =>
  pagedRegistry(upstream, {
    pageSize,
    incremental: true,
    placeOf: (cursor) =>
      mcpPlace.safeParse(cursor).data ?? {
        after: typeof cursor === "string" ? cursor : null,
        offset: 0,
        size: pageSize,
      },
    behind: () => undefined,
    nameOf: ({ after }) => (after === null ? "first" : `after ${after}`),
    request: ({ after, offset, size }, since) => ({
      path: "/v0.1/servers",
      query: {
        limit: size,
        version: "latest",
        cursor: after ?? undefined,
        updated_since: since ?? undefined,
        include_deleted: since === null ? undefined : "true",
      },
      ...(after !== null && { refused: NO_MORE }),
      read(json) {
        const { servers, metadata } = mcpAnswer.parse(json);
        const next = metadata?.nextCursor || null;
        const behind = placeBehind({ offset, size }, pageSize);
        const full = next === null || behind.size === pageSize;
        return { items: servers ?? [], next: full ? next : { ...behind, after: next }, expected: null };
      },
    }),
  });

const bazaarAnswer = z.looseObject({ items: z.array(z.unknown()), pagination: z.looseObject({ total }).nullish() });

/** The x402 Bazaar: paging by offset. */
const x402BazaarPages: OpenPages = (upstream, { pageSize }) => {
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
        const { items, pagination } = bazaarAnswer.parse(json);
        return pageOf(items, place, pagination?.total ?? null);
      },
    }),
  });
};

const virtualsAnswer = z.looseObject({
  data: z.array(z.unknown()),
  meta: z.looseObject({ pagination: z.looseObject({ page: z.number(), pageCount: z.number(), total }) }),
});

/** Virtuals ACP v1 (Strapi): pages by number, so the cursor of a full page is its number. */
const virtualsPages: OpenPages = (upstream, { pageSize }) => {
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
          const { data, meta } = virtualsAnswer.parse(json);
          // The page number in the virtualsAnswer is ignored: some servers virtualsAnswer every request with the first page.
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

const scan8004Answer = z.looseObject({ items: z.array(z.unknown()), total });
const scan8004Item = z.looseObject({ created_at: z.string() });

/** 8004scan: paging by offset. A full pull reads the oldest first; a pull since a time reads the newest first down to it. */
const scan8004Pages: OpenPages = (upstream, { chainId, pageSize }) => {
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
        const { items, total } = scan8004Answer.parse(json);
        const page = pageOf(items, place, total ?? null);
        if (since === null) return page;
        const last = scan8004Item.safeParse(items.at(-1)).data;
        const reached = last !== undefined && Date.parse(last.created_at) < Date.parse(since);
        return { items, next: reached ? null : page.next, expected: null };
      },
    }),
  });
};

export const PAGES: Record<RegistryKey, OpenPages> = {
  virtuals: virtualsPages,
  agentverse: agentversePages,
  "mcp-registry": mcpRegistryPages,
  "x402-bazaar": x402BazaarPages,
  "8004scan": scan8004Pages,
};

/** The values of each registry's variables, by the registry's key. */
export type RegistrySettings = Record<string, { url: string; key?: string | undefined }>;

/** Rate of a registry on this machine: it is simulated and needs no limit. */
const UNLIMITED = { burst: 10_000, perSecond: 10_000 };

/** Opens every registry at the rate that it allows, with its limits of time and size. */
export function openRegistries(
  settings: RegistrySettings,
  { http, chainId }: { http: Http; chainId: number },
  registries: readonly RegistryRow[] = REGISTRIES,
  pages: Readonly<Record<string, OpenPages>> = PAGES,
): Registries {
  const open = (row: RegistryRow) => {
    const { url, key } = settings[row.key]!;
    const perSecond = key ? (row.perSecondWithKey ?? row.perSecond) : row.perSecond;
    const upstream = http.upstream({
      name: row.sentenceName ?? row.label,
      baseUrl: url,
      headers: key ? { "x-api-key": key } : {},
      rate: isLoopback(url) ? UNLIMITED : { burst: 10, perSecond },
      maxBytes: row.maxBytes,
      maxMs: row.maxSeconds * 1000,
    });
    return pages[row.key]!(upstream, { chainId, pageSize: row.pageSize });
  };
  return Object.fromEntries(registries.map((row) => [row.key, open(row)]));
}
