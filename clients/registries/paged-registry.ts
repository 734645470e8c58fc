/** Reads a registry page by page within its limits: a page that is too large, too slow or that fails is read in smaller ones, and at last skipped. */
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "../http/validators.ts";
import type { Upstream } from "../http.ts";
import type { PageOptions, Registry, RegistryPage, SkipReason, Validators } from "../ports.ts";

export type ReadPage = Omit<RegistryPage, "validators" | "reduced" | "skipped">;

type PageRequest = {
  path: string;
  query?: Record<string, string | number | undefined>;
  /** With a body the request is a POST, which cannot be conditional. */
  body?: unknown;
  /** Reads the answer. An error that it throws means that the answer is unusable. */
  read(json: unknown): ReadPage;
  /** The page when the registry refuses the request, as some do behind their last page; absent: a refusal is an error. */
  refused?: ReadPage;
};

/** The paging of a registry. `P` is a place: where a page begins, and its number of items. */
export type Paging<P extends { size: number }> = {
  /** Max items of a page that the registry returns: a multiple of 10. */
  pageSize: number;
  /** Whether it can list the changes since a time. */
  incremental: boolean;
  /** Whether pages of one sweep repeat items by design. */
  overlapping?: true;
  /** The place that a cursor names; the first place for null, and for a cursor that names none. */
  placeOf(cursor: unknown): P;
  request(place: P, since: string | null): PageRequest;
  /** The cursor behind a page that was not read; undefined where only an answer has it. */
  behind(place: P): unknown;
  /** Names a place in the quarantine. */
  nameOf(place: P): string;
};

/** Statuses by which registries refuse offsets beyond their last page, and expired cursors. */
const REFUSED = [400, 404, 410, 416, 422];

/** Sizes of the pages, largest first, when a full one cannot be read. Each divides the one before it. */
const sizesOf = (pageSize: number): readonly number[] => [pageSize, 10, 1];

/**
 * Opens the pages of a registry.
 * @param upstream opened on the registry's URL, with its limits of time and size
 */
export function pagedRegistry<P extends { size: number }>(upstream: Upstream, paging: Paging<P>): Registry {
  const { pageSize, incremental, overlapping = false } = paging;
  return {
    incremental,
    overlapping,
    async page(cursor, since, { known, insist = false, smallest = 1 } = {}) {
      const place = paging.placeOf(cursor);
      const least = Math.min(smallest, place.size);
      let [size, reason]: [number, SkipReason] = [place.size, "failed"];
      for (size of sizesOf(pageSize).filter((each) => each <= place.size && each >= least)) {
        const whole = size === pageSize;
        // A smaller page has another URL: its validators do not belong to the full page.
        const request = { ...paging.request({ ...place, size }, since), known: whole && since === null ? known : null };
        const page = await askPage(upstream, request, { insist });
        if (page === "unchanged") return page;
        if (typeof page !== "string") return whole ? page : { ...page, validators: null, reduced: true };
        reason = page;
      }
      const unread = { ...place, size };
      if (reason !== "too large") await probe(upstream, paging, unread, since);
      return { ...skippedPage(paging, unread, reason), validators: null, reduced: true };
    },
  };
}

/**
 * Makes sure that the registry answers elsewhere: while it does not answer at all, no place is skipped.
 * @throws Failure upstream_unavailable
 */
async function probe<P extends { size: number }>(
  upstream: Upstream,
  paging: Paging<P>,
  unread: P,
  since: string | null,
): Promise<void> {
  const first = { ...paging.placeOf(null), size: 1 };
  const elsewhere =
    paging.nameOf(first) === paging.nameOf({ ...unread, size: 1 })
      ? { ...paging.placeOf(paging.behind(unread) ?? null), size: 1 }
      : first;
  const { path, query, body, read } = paging.request(elsewhere, since);
  await upstream.ask({
    path,
    ...(query && { query }),
    ...(body !== undefined && { method: "POST" as const, body }),
    statuses: [200],
    read: ({ json }) => read(json),
    tooLarge: () => null,
  });
}

function skippedPage<P extends { size: number }>(paging: Paging<P>, place: P, reason: SkipReason) {
  const name = paging.nameOf(place) + (place.size > 1 ? ` (${place.size} items)` : "");
  const next = paging.behind(place);
  return {
    items: [],
    next: next ?? null,
    expected: null,
    skipped: { place: name, reason },
    ...(next === undefined && { cut: CURSOR_LOST[reason] }),
  };
}

const lost = (what: string) => `An item of the registry ${what}, and only its answer says where the next one is.`;
const CURSOR_LOST: Record<SkipReason, string> = {
  "too large": lost("is too large to be read"),
  "too slow": lost("is not answered in time"),
  failed: lost("is answered with an error"),
};

type KnownValidators = { known: Validators | null | undefined };

/**
 * @param options.insist a request that fails is a reason to ask for a smaller page
 * @throws Failure upstream_unavailable
 */
function askPage(
  upstream: Upstream,
  { path, query, body, read, refused, ...given }: PageRequest & KnownValidators,
  { insist }: Pick<PageOptions, "insist">,
): Promise<Omit<RegistryPage, "reduced" | "skipped"> | "unchanged" | SkipReason> {
  const known = body === undefined ? given.known : null;
  return upstream.ask<Omit<RegistryPage, "reduced" | "skipped"> | "unchanged" | SkipReason>({
    path,
    ...(query && { query }),
    ...(body !== undefined && { method: "POST" as const, body }),
    headers: conditionalHeaders(known),
    statuses: [200, ...(known ? [NOT_MODIFIED] : []), ...(refused ? REFUSED : [])],
    read({ status, headers, json }) {
      if (status === NOT_MODIFIED) return "unchanged";
      if (status !== 200) return { ...refused!, validators: null };
      const page = bounded(read(json));
      return { ...page, validators: body === undefined && page.cut === undefined ? validatorsOf(headers) : null };
    },
    tooLarge: () => "too large",
    tooSlow: () => "too slow",
    ...(insist && { failed: () => "failed" as const }),
  });
}

/** Max items of one page: ten times the requested number. */
const MAX_ITEMS = 1_000;
/** Max characters of the cursor of the next page, as JSON. */
const MAX_CURSOR = 16_384;

/**
 * Bound: a page has 4 or 16 MB and 10 or 30 s (then 10 items, 1, skipped) and 1,000 items; an item 256 KiB
 * (workers/directory/registry-page.ts), the quarantine 10,000 of a registry. `cut` states what was left out.
 */
function bounded(page: ReadPage): ReadPage {
  if (JSON.stringify(page.next).length > MAX_CURSOR)
    return { ...page, next: null, cut: `The place of the next page is longer than ${MAX_CURSOR} characters.` };
  if (page.items.length <= MAX_ITEMS) return page;
  return { ...page, items: page.items.slice(0, MAX_ITEMS), cut: `A page has more than ${MAX_ITEMS} items.` };
}

/** The page when a registry refuses every place behind some place. */
export const NO_MORE: ReadPage = {
  items: [],
  next: null,
  expected: null,
  cut: "The registry gives no more pages than these.",
};

/** Reason for ending a sweep at an empty page before the last one. */
export const EMPTY_PAGE = "The registry gives fewer items than it says it has.";

/**
 * The place after a page. After a smaller page, the next one is as large as fits before the next full page, so an item
 * that cannot be read reduces the size of its neighbours' pages only.
 */
export const placeBehind = ({ offset, size }: OffsetPlace, pageSize: number, items = size): OffsetPlace => {
  const end = offset + items;
  return { offset: end, size: size === pageSize ? pageSize : sizesOf(pageSize).find((each) => end % each === 0)! };
};

export type OffsetPlace = { offset: number; size: number };

/**
 * @param upstream opened on the registry's URL, with its limits
 * @param about.chainId chain whose agents are listed
 * @param about.pageSize max items of a page that the registry returns
 */
export type OpenPages = (upstream: Upstream, about: { chainId: number; pageSize: number }) => Registry;
