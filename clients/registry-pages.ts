/** How one page of a registry is asked for: unless it is still the known version, and never beyond what the registry gives. */
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "./http/validators.ts";
import type { Upstream } from "./http.ts";
import type { RegistryPage, Validators } from "./ports.ts";

export type PageRequest = {
  path: string;
  query?: Record<string, string | number | undefined>;
  /** Sent by POST, for which there are no conditional requests. */
  body?: unknown;
  /** A page behind the first one, which a registry may refuse. */
  behind: boolean;
  known: Validators | null | undefined;
  /** Makes sense of the answer. Whatever it throws says that the answer is of no use. */
  read(json: unknown): Omit<RegistryPage, "validators">;
};

/** With these, registries refuse places beyond the last that they give, and cursors they have forgotten. */
const REFUSED = [400, 404, 410, 416, 422];

/** @throws Failure upstream_unavailable */
export function askPage(upstream: Upstream, request: PageRequest): Promise<RegistryPage | "unchanged"> {
  const { path, query, body, behind, read } = request;
  const known = body === undefined ? request.known : null;
  return upstream.ask<RegistryPage | "unchanged">({
    path,
    ...(query && { query }),
    ...(body !== undefined && { method: "POST" as const, body }),
    headers: conditionalHeaders(known),
    statuses: [200, ...(known ? [NOT_MODIFIED] : []), ...(behind ? REFUSED : [])],
    read({ status, headers, json }) {
      if (status === NOT_MODIFIED) return "unchanged";
      if (status !== 200) return { ...END, cut: "The registry gives no more pages than these." };
      const page = bounded(read(json));
      return { ...page, validators: body === undefined && page.cut === undefined ? validatorsOf(headers) : null };
    },
  });
}

/** Items of one page, ten times what is asked for, and characters of the place behind it. */
const MOST_ITEMS = 1_000;
const MOST_CURSOR = 4_096;

/** A page no larger than what is worked on at once; what was left out is told. */
function bounded(page: Omit<RegistryPage, "validators">): Omit<RegistryPage, "validators"> {
  if (typeof page.next === "string" && page.next.length > MOST_CURSOR)
    return { ...page, next: null, cut: `The place of the next page is longer than ${MOST_CURSOR} characters.` };
  if (page.items.length <= MOST_ITEMS) return page;
  return { ...page, items: page.items.slice(0, MOST_ITEMS), cut: `A page has more than ${MOST_ITEMS} items.` };
}

const END = { items: [], next: null, expected: null, validators: null };

/** Why a page that is empty before the last one ends a sweep. */
export const EMPTY_PAGE = "The registry gives fewer items than it says it has.";
