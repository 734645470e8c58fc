/** Finds one page of a sorted, filtered table by walking the sorted index from the nearer end. */
import { type Bits, countCommon, createBits, intersect, listBits } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import type { NumberValues } from "./number-column.ts";
import type { SortedIndex } from "./sorted-index.ts";
import type { Value } from "./values.ts";

/** Where a page begins: after a number of rows, or after the row with this key and id, which may no longer exist. */
export type Position = { offset: number } | { after: { key: Value; id: number } };

export type SortedView = {
  /** The slots with a value in the column. */
  index: SortedIndex;
  column: SortableColumn;
  /** All slots: the order of those without a value, which follow the others. */
  byId: SortedIndex;
  ids: NumberValues;
};

export type PageRequest = {
  /** The rows that meet the filters; null for all. */
  bits: Bits | null;
  /** Number of these rows. */
  total: number;
  /** Greatest first. In both directions nulls are last and equal keys are in ascending order of id. */
  descending: boolean;
  position: Position;
  limit: number;
};

export type SlotPage = {
  slots: number[];
  skipped: number;
};

/** Max matches that are sorted directly: cheaper than walking past the rows that do not match. */
const MAX_DIRECT_SORT = 512;

export function findPage(view: SortedView, request: PageRequest): SlotPage {
  const { bits, total, position, limit } = request;
  if ("offset" in position && position.offset >= total) return { slots: [], skipped: position.offset };
  if (bits !== null && total <= MAX_DIRECT_SORT) return pageOfFewRows(view, bits, request);
  const { nulls: isNull, nullCount } = view.column;
  const nulls = nullCount === 0 ? 0 : bits === null ? nullCount : countCommon(bits, isNull);
  const matches = total - nulls;
  if ("offset" in position ? position.offset >= matches : position.after.key === null)
    return pageOfNulls(view, request, matches);
  const { slots, skipped } = request.descending
    ? descending(view, request, matches)
    : ascending(view, request, matches);
  if (nulls > 0) view.byId.collect(nullsOf(view, bits), 0, view.byId.length, limit, slots);
  return { slots, skipped };
}

/** A page that begins behind the last value. @param matches number of selected slots with a value */
function pageOfNulls(view: SortedView, { bits, total, position, limit }: PageRequest, matches: number): SlotPage {
  const { byId, ids } = view;
  const nulls = nullsOf(view, bits);
  const slots: number[] = [];
  let from: number;
  let skipped: number;
  if ("offset" in position) {
    skipped = position.offset;
    from =
      skipped - matches <= (total - matches) / 2
        ? byId.skipForward(nulls, 0, skipped - matches)
        : byId.skipBackward(nulls, byId.length, total - skipped);
  } else {
    const { id } = position.after;
    from = byId.lowerBound((slot) => (ids[slot]! > id ? 0 : -1));
    skipped = matches + byId.count(nulls, 0, from);
  }
  byId.collect(nulls, from, byId.length, limit, slots);
  return { slots, skipped };
}

/** Written by every page that reaches the nulls, and read before the next one. */
let nullBits = createBits(0);

/** The selected slots without a value; valid until the next call. */
function nullsOf({ column: { nulls } }: SortedView, bits: Bits | null): Bits {
  if (bits === null) return nulls;
  if (nullBits.length !== bits.length) nullBits = new Int32Array(bits.length);
  nullBits.set(bits);
  intersect(nullBits, nulls);
  return nullBits;
}

/** Adds the selected slots below position `to`, where a run of equal keys begins: greatest key first, equal keys by id. */
function collectDown(
  { index, column }: SortedView,
  bits: Bits | null,
  to: number,
  limit: number,
  slots: number[],
): void {
  const found: number[] = [];
  index.collectBackward(bits, to, limit - slots.length, found);
  for (let first = 0; first < found.length; ) {
    const key = found[first]!;
    let last = first + 1;
    while (last < found.length && column.compare(found[last]!, key) === 0) last++;
    if (last < found.length) for (let i = last - 1; i >= first; i--) slots.push(found[i]!);
    else {
      // The last run may extend beyond the page: the page has those of its slots with the lowest ids.
      const start = index.lowerBound((other) => column.compare(other, key));
      index.collect(bits, start, to, slots.length + last - first, slots);
    }
    first = last;
  }
}

/** The part of a page whose slots have a value. @param matches number of selected slots with a value */
function ascending(
  { index, column, ids }: SortedView,
  { bits, position, limit }: PageRequest,
  matches: number,
): SlotPage {
  const slots: number[] = [];
  let from: number;
  let skipped: number;
  if ("offset" in position) {
    skipped = position.offset;
    from =
      skipped <= matches / 2
        ? index.skipForward(bits, 0, skipped)
        : index.skipBackward(bits, index.length, matches - skipped);
  } else {
    from = index.lowerBound(notAfter(column, ids, position.after));
    skipped = from <= index.length / 2 ? index.count(bits, 0, from) : matches - index.count(bits, from, index.length);
  }
  index.collect(bits, from, index.length, limit, slots);
  return { slots, skipped };
}

/** As `ascending`, the greatest value first. */
function descending(view: SortedView, request: PageRequest, matches: number): SlotPage {
  const { skipped, from, run, end } = descendingStart(view, request, matches);
  const slots: number[] = [];
  view.index.collect(request.bits, from, end, request.limit, slots);
  collectDown(view, request.bits, run, request.limit, slots);
  return { slots, skipped };
}

type DescendingStart = {
  skipped: number;
  /** The page begins at `from`, within the run of equal keys `run` … `end`. */
  from: number;
  run: number;
  end: number;
};

function descendingStart(view: SortedView, { bits, position }: PageRequest, matches: number): DescendingStart {
  const { index, column, ids } = view;
  if ("offset" in position) {
    const skipped = position.offset;
    // `skipped` selected slots are at or above this position, counted from either end …
    const above =
      skipped <= matches / 2
        ? index.skipBackward(bits, index.length, skipped)
        : index.skipForward(bits, 0, matches - skipped);
    const match = index.at(index.skipBackward(bits, above, 1));
    const run = index.lowerBound((slot) => column.compare(slot, match));
    const end = index.lowerBound((slot) => (column.compare(slot, match) > 0 ? 0 : -1));
    // … but in a run of equal keys the slots with the lowest ids are the ones to skip.
    const from = index.skipForward(bits, run, index.count(bits, above, end));
    return { skipped, from, run, end };
  }
  const { key, id } = position.after;
  const from = index.lowerBound(notAfter(column, ids, { key, id }));
  const run = index.lowerBound((slot) => column.compareValue(slot, key));
  const end = index.lowerBound((slot) => (column.compareValue(slot, key) > 0 ? 0 : -1));
  const above = end > index.length / 2 ? index.count(bits, end, index.length) : matches - index.count(bits, 0, end);
  return { skipped: above + index.count(bits, run, from), from, run, end };
}

/** Comparison with a cursor: negative for the slots up to and including the cursor's row. */
const notAfter =
  (column: SortableColumn, ids: NumberValues, { key, id }: { key: Value; id: number }) =>
  (slot: number): number =>
    column.compareValue(slot, key) || (ids[slot]! > id ? 0 : -1);

function pageOfFewRows(
  { column, ids }: SortedView,
  bits: Bits,
  { descending, position, limit }: PageRequest,
): SlotPage {
  const byId = (a: number, b: number) => ids[a]! - ids[b]!;
  const byKey = (a: number, b: number) =>
    descending && !column.isNull(a) && !column.isNull(b) ? column.compare(b, a) : column.compare(a, b);
  const sorted = listBits(bits).sort((a, b) => byKey(a, b) || byId(a, b));
  let skipped: number;
  if ("offset" in position) skipped = position.offset;
  else {
    const { key, id } = position.after;
    const next = sorted.findIndex((slot) => {
      const against = column.compareValue(slot, key);
      const directed = descending && key !== null && !column.isNull(slot) ? -against : against;
      return directed > 0 || (directed === 0 && ids[slot]! > id);
    });
    skipped = next < 0 ? sorted.length : next;
  }
  return { slots: sorted.slice(skipped, skipped + limit), skipped };
}
