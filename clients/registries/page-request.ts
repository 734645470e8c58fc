/** Requests one page of a registry: conditionally when a version is known, and within the registry's paging limits. */
import { z } from "zod";
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "../http/validators.ts";
import type { Upstream } from "../http.ts";
import type { RegistryPage, Validators } from "../ports.ts";

type PageRequest = {
  path: string;
  query?: Record<string, string | number | undefined>;
  /** With a body the request is a POST, which cannot be conditional. */
  body?: unknown;
  /** True for every page after the first; a registry may refuse those. */
  behind: boolean;
  known: Validators | null | undefined;
  /** Reads the answer. An error that it throws means that the answer is unusable. */
  read(json: unknown): Omit<RegistryPage, "validators">;
};

/** Statuses by which registries refuse offsets beyond their last page, and expired cursors. */
const REFUSED = [400, 404, 410, 416, 422];

/** Page sizes, largest first; the next one is used when an answer exceeds the size limit. Each divides the one before it. */
const SIZES = [100, 10, 1];
export const PAGE = 100;

/** Offset of a page, and its number of items. */
export type Place = { offset: number; size: number };

const place = z.object({ offset: z.int().min(0), size: z.literal(SIZES) });

/** @param whole offset of a page of full size, when the cursor is one */
export const placeOf = (cursor: unknown, whole: number): Place =>
  place.safeParse(cursor).data ?? { offset: whole, size: PAGE };

/**
 * The place after a page. After a smaller page, the next one is as large as fits before the next full page, so a large
 * item reduces the size of its neighbours' pages only.
 */
export const placeBehind = (size: number, offset: number): Place => ({
  offset,
  size: size === PAGE ? PAGE : SIZES.find((each) => offset % each === 0)!,
});

/**
 * Requests a page, with fewer items while the answer exceeds the size limit.
 * @param known validators of the full page; only full pages are requested conditionally
 * @param stepOver the page returned for a single item that exceeds the limit
 * @throws Failure upstream_unavailable
 */
export async function askSized(
  upstream: Upstream,
  size: number,
  known: Validators | null | undefined,
  request: (size: number) => Omit<PageRequest, "known">,
  stepOver: () => Omit<RegistryPage, "validators">,
): Promise<RegistryPage | "unchanged"> {
  for (const each of SIZES.filter((each) => each <= size)) {
    const whole = each === PAGE;
    const page = await askPage(upstream, { ...request(each), known: whole ? known : null });
    // A smaller page has another URL: its validators do not belong to the full page.
    if (page !== "too large") return whole || page === "unchanged" ? page : { ...page, validators: null };
  }
  return { ...stepOver(), validators: null };
}

/** @throws Failure upstream_unavailable */
function askPage(upstream: Upstream, request: PageRequest): Promise<RegistryPage | "unchanged" | "too large"> {
  const { path, query, body, behind, read } = request;
  const known = body === undefined ? request.known : null;
  return upstream.ask<RegistryPage | "unchanged" | "too large">({
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
    tooLarge: () => "too large",
  });
}

/** Max items of one page: ten times the requested number. */
const MAX_ITEMS = 1_000;
/** Max characters of the cursor of the next page. */
const MAX_CURSOR = 4_096;

/** Limits a page; `cut` states what was left out. */
function bounded(page: Omit<RegistryPage, "validators">): Omit<RegistryPage, "validators"> {
  if (typeof page.next === "string" && page.next.length > MAX_CURSOR)
    return { ...page, next: null, cut: `The place of the next page is longer than ${MAX_CURSOR} characters.` };
  if (page.items.length <= MAX_ITEMS) return page;
  return { ...page, items: page.items.slice(0, MAX_ITEMS), cut: `A page has more than ${MAX_ITEMS} items.` };
}

const END = { items: [], next: null, expected: null, validators: null };

/** Reason for ending a sweep at an empty page before the last one. */
export const EMPTY_PAGE = "The registry gives fewer items than it says it has.";
