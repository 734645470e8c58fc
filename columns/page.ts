/** One page of a sorted, filtered table: found by walking the order from whichever end is nearer. */
import { type Bits, countCommon, listBits } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import type { Order } from "./sorted-index.ts";
import type { Value } from "./values.ts";

/** Where a page begins: after so many rows, or after the row with this key and id, which need not exist any more. */
export type Position = { offset: number } | { after: { key: Value; id: number } };

export type SortedView = {
  order: Order;
  column: SortableColumn;
  /** Ids by slot. */
  ids: Float64Array;
};

export type PageRequest = {
  /** The rows the filters let through; null for all. */
  bits: Bits | null;
  /** How many they are. */
  total: number;
  /** Greatest first. Nulls are last and equal keys are by id, ascending, either way. */
  descending: boolean;
  position: Position;
  limit: number;
};

export type SlotPage = {
  slots: number[];
  /** How many rows come before the page. */
  skipped: number;
};

/** Up to this many matches are sorted on the spot: cheaper than walking past what did not match. */
const FEW = 512;

export function pageOf(view: SortedView, request: PageRequest): SlotPage {
  const { bits, total, position, limit } = request;
  if ("offset" in position && position.offset >= total) return { slots: [], skipped: position.offset };
  if (bits !== null && total <= FEW) return pageOfFew(view, bits, request);
  if (!request.descending) return ascending(view, request);
  const { order, column } = view;
  const present = order.length - column.nullCount;
  const nulls = column.nullCount === 0 ? 0 : bits === null ? column.nullCount : countCommon(bits, column.nulls);
  const { skipped, from, run, end, nullsFrom } = descendingStart(view, request, present, total - nulls);
  const slots: number[] = [];
  order.collect(bits, from, end, limit, slots);
  collectDown(view, bits, run, limit, slots);
  order.collect(bits, nullsFrom, order.length, limit, slots);
  return { slots, skipped };
}

/** Adds the selected slots below position `to`, which begins a run of equal keys: greatest key first, equal keys by id. */
function collectDown(
  { order, column }: SortedView,
  bits: Bits | null,
  to: number,
  limit: number,
  slots: number[],
): void {
  const found: number[] = [];
  order.collectBackward(bits, to, limit - slots.length, found);
  for (let first = 0; first < found.length; ) {
    const key = found[first]!;
    let last = first + 1;
    while (last < found.length && column.compare(found[last]!, key) === 0) last++;
    if (last < found.length) for (let i = last - 1; i >= first; i--) slots.push(found[i]!);
    else {
      // The last run may go on below the page: of its slots those with the lowest ids belong here.
      const start = order.lowerBound((other) => column.compare(other, key));
      order.collect(bits, start, to, slots.length + last - first, slots);
    }
    first = last;
  }
}

function ascending({ order, column, ids }: SortedView, { bits, total, position, limit }: PageRequest): SlotPage {
  const slots: number[] = [];
  let from: number;
  let skipped: number;
  if ("offset" in position) {
    skipped = position.offset;
    from =
      skipped <= total / 2
        ? order.skipForward(bits, 0, skipped)
        : order.skipBackward(bits, order.length, total - skipped);
  } else {
    from = order.lowerBound(notAfter(column, ids, position.after));
    skipped = from <= order.length / 2 ? order.count(bits, 0, from) : total - order.count(bits, from, order.length);
  }
  order.collect(bits, from, order.length, limit, slots);
  return { slots, skipped };
}

type DescendingStart = {
  skipped: number;
  /** The run of equal keys the page begins in is `run` … `end`, and the page begins at `from`; all 0: among the nulls. */
  from: number;
  run: number;
  end: number;
  /** Where the page's nulls begin, once the other rows are through. */
  nullsFrom: number;
};

/** @param present positions whose key is not null, all before the nulls; @param matches how many of them are selected */
function descendingStart(
  view: SortedView,
  { bits, position }: PageRequest,
  present: number,
  matches: number,
): DescendingStart {
  const { order, column, ids } = view;
  if ("offset" in position) {
    const skipped = position.offset;
    if (skipped >= matches)
      return { ...AMONG_NULLS, skipped, nullsFrom: order.skipForward(bits, present, skipped - matches) };
    // `skipped` selected slots lie at or above this position, whichever end it is counted from …
    const above =
      skipped <= matches / 2
        ? order.skipBackward(bits, present, skipped)
        : order.skipForward(bits, 0, matches - skipped);
    const match = order.at(order.skipBackward(bits, above, 1));
    const run = order.lowerBound((slot) => column.compare(slot, match));
    const end = order.lowerBound((slot) => (column.compare(slot, match) > 0 ? 0 : -1));
    // … but in a run of equal keys those with the lowest ids are the ones to skip.
    const from = order.skipForward(bits, run, order.count(bits, above, end));
    return { skipped, from, run, end, nullsFrom: present };
  }
  const { key, id } = position.after;
  const from = order.lowerBound(notAfter(column, ids, { key, id }));
  if (key === null) return { ...AMONG_NULLS, skipped: matches + order.count(bits, present, from), nullsFrom: from };
  const run = order.lowerBound((slot) => column.compareValue(slot, key));
  const end = order.lowerBound((slot) => (column.compareValue(slot, key) > 0 ? 0 : -1));
  const above = end > present / 2 ? order.count(bits, end, present) : matches - order.count(bits, 0, end);
  return { skipped: above + order.count(bits, run, from), from, run, end, nullsFrom: present };
}

const AMONG_NULLS = { from: 0, run: 0, end: 0 };

/** Against a cursor's mark: negative for the slots up to and with it. */
const notAfter =
  (column: SortableColumn, ids: Float64Array, { key, id }: { key: Value; id: number }) =>
  (slot: number): number =>
    column.compareValue(slot, key) || (ids[slot]! > id ? 0 : -1);

function pageOfFew({ column, ids }: SortedView, bits: Bits, { descending, position, limit }: PageRequest): SlotPage {
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
      const turned = descending && key !== null && !column.isNull(slot) ? -against : against;
      return turned > 0 || (turned === 0 && ids[slot]! > id);
    });
    skipped = next < 0 ? sorted.length : next;
  }
  return { slots: sorted.slice(skipped, skipped + limit), skipped };
}
