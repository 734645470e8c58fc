/** How one page of a registry is asked for: unless it is still the known version, and never beyond what the registry gives. */
import { z } from "zod";
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "../http/validators.ts";
import type { Upstream } from "../http.ts";
import type { RegistryPage, Validators } from "../ports.ts";

type PageRequest = {
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

/** Items of a page: the first number, then the next one when the answer is beyond the size limit. Each divides the one before it. */
const SIZES = [100, 10, 1];
export const PAGE = 100;

/** Where a page begins, and how many items it is to have. */
export type Place = { offset: number; size: number };

const place = z.object({ offset: z.int().min(0), size: z.literal(SIZES) });

/** @param whole where a page of the full size begins, when the cursor names one */
export const placeOf = (cursor: unknown, whole: number): Place =>
  place.safeParse(cursor).data ?? { offset: whole, size: PAGE };

/**
 * The place behind a page. After one that had to be smaller, the next one is as large as fits before the next full page,
 * so a large item costs its neighbours' pages, and no others.
 */
export const placeBehind = (size: number, offset: number): Place => ({
  offset,
  size: size === PAGE ? PAGE : SIZES.find((each) => offset % each === 0)!,
});

/**
 * Asks for a page, and for fewer items as long as the answer is beyond the size limit.
 * @param known of the full page, the only one that is asked for conditionally
 * @param stepOver what stands for a single item beyond the limit
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
    // A smaller page is another address: what it says of its version is not the full page's.
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

/** Items of one page, ten times what is asked for, and characters of the place behind it. */
const MAX_ITEMS = 1_000;
const MAX_CURSOR = 4_096;

/** A page within the limits; `cut` says what was left out. */
function bounded(page: Omit<RegistryPage, "validators">): Omit<RegistryPage, "validators"> {
  if (typeof page.next === "string" && page.next.length > MAX_CURSOR)
    return { ...page, next: null, cut: `The place of the next page is longer than ${MAX_CURSOR} characters.` };
  if (page.items.length <= MAX_ITEMS) return page;
  return { ...page, items: page.items.slice(0, MAX_ITEMS), cut: `A page has more than ${MAX_ITEMS} items.` };
}

const END = { items: [], next: null, expected: null, validators: null };

/** Why a page that is empty before the last one ends a sweep. */
export const EMPTY_PAGE = "The registry gives fewer items than it says it has.";
