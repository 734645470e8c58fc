/** Sorts the slots of a whole column at once: a stable radix sort, under a second for a million names. */
import { BytesColumn } from "./bytes-column.ts";
import type { NumberColumn } from "./number-column.ts";

export type SortableColumn = NumberColumn | BytesColumn;

/** Max slots that are sorted by insertion; it is faster than the radix sort for these. */
const MAX_INSERTION_SORT = 32;
const DIGITS = 8;
const BUCKETS = 256;

/**
 * Sorts `slots`, which have a value each, by the column's values.
 * @param slots sorted in place; slots with equal values keep their order
 */
export const sortSlots = (column: SortableColumn, slots: Int32Array): void =>
  sortWith(new Keys(slots), column, slots.length);

/** Sorts the same slots by one column after the other, in the same 24 bytes a slot. */
export class SlotSorter {
  readonly #slots: Int32Array;
  readonly #keys: Keys;

  /** @param slots in the order that those with equal values have */
  constructor(slots: Int32Array) {
    this.#slots = slots;
    this.#keys = new Keys(new Int32Array(slots.length));
  }

  /** @returns the slots with a value; the next call overwrites them */
  sort(column: SortableColumn): Int32Array {
    const { slots } = this.#keys;
    let count = 0;
    if (column.nullCount === 0) {
      slots.set(this.#slots);
      count = slots.length;
    } else for (const slot of this.#slots) if (!column.isNull(slot)) slots[count++] = slot;
    sortWith(this.#keys, column, count);
    return slots.subarray(0, count);
  }
}

/** @param count of `keys.slots`, from the first, are sorted */
function sortWith(keys: Keys, column: SortableColumn, count: number): void {
  if (column instanceof BytesColumn) sortBytes(column, keys, count);
  else sortNumbers(column, keys, count);
}

function sortNumbers(column: NumberColumn, keys: Keys, count: number): void {
  const { slots } = keys;
  const double = new Float64Array(1);
  const [lowHalf, highHalf] = LITTLE_ENDIAN ? [0, 1] : [1, 0];
  const halves = new Uint32Array(double.buffer);
  for (let i = 0; i < count; i++) {
    double[0] = column.values[slots[i]!]!;
    const high = halves[highHalf]!;
    // The bits of doubles sort as integers after this flip: all bits of a negative one, the sign bit of any other.
    const flip = high >>> 31 === 1 ? 0xffffffff : 0;
    keys.high[i] = high ^ (flip | 0x80000000);
    keys.low[i] = halves[lowHalf]! ^ flip;
  }
  keys.sort(0, count);
  if (column.exact.size === 0) return;
  keys.forEachTie(0, count, (from, to) => {
    const tie = slots.subarray(from, to);
    if (tie.some((slot) => column.exact.has(slot))) tie.set([...tie].sort((a, b) => column.compare(a, b)));
  });
}

/** Sorts by eight bytes at a time; slots that are equal in these are sorted by the next eight. */
function sortBytes(column: BytesColumn, keys: Keys, count: number): void {
  const { slots } = keys;
  const open: [from: number, to: number, depth: number][] = [[0, count, 0]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [from, to, depth] = range;
    if (to - from <= MAX_INSERTION_SORT) {
      insertionSort(column, slots, from, to);
      continue;
    }
    for (let i = from; i < to; i++) {
      const slot = slots[i]!;
      const start = column.start(slot);
      const end = start + column.length(slot);
      keys.high[i] = fourBytes(column.heap, start + depth, end);
      keys.low[i] = fourBytes(column.heap, start + depth + 4, end);
    }
    keys.sort(from, to);
    keys.forEachTie(from, to, (first, last) => {
      for (let i = first; i < last; i++) {
        if (column.length(slots[i]!) > depth + 8) return void open.push([first, last, depth + 8]);
      }
    });
  }
}

/** Big-endian, with zeros after the end: text has no byte 0, so the shorter of two comes first. */
function fourBytes(heap: Uint8Array, at: number, end: number): number {
  let word = 0;
  for (let i = at; i < at + 4; i++) word = (word << 8) | (i < end ? heap[i]! : 0);
  return word;
}

function insertionSort(column: SortableColumn, slots: Int32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const slot = slots[i]!;
    let at = i;
    while (at > from && column.compare(slots[at - 1]!, slot) > 0) slots[at] = slots[--at]!;
    slots[at] = slot;
  }
}

/** A 64-bit key for each position of `slots`, and the stable sort that moves keys and slots together. */
class Keys {
  readonly slots: Int32Array;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly #spareSlots: Int32Array;
  readonly #spareHigh: Uint32Array;
  readonly #spareLow: Uint32Array;
  readonly #counts = new Uint32Array(DIGITS * BUCKETS);

  constructor(slots: Int32Array) {
    this.slots = slots;
    this.high = new Uint32Array(slots.length);
    this.low = new Uint32Array(slots.length);
    this.#spareSlots = new Int32Array(slots.length);
    this.#spareHigh = new Uint32Array(slots.length);
    this.#spareLow = new Uint32Array(slots.length);
  }

  /** Least significant byte first; a byte that is the same in all keys is skipped. */
  sort(from: number, to: number): void {
    const counts = this.#counts.fill(0);
    for (let i = from; i < to; i++) {
      const low = this.low[i]!;
      const high = this.high[i]!;
      for (let digit = 0; digit < 4; digit++) {
        counts[digit * BUCKETS + ((low >>> (digit * 8)) & 255)]!++;
        counts[(digit + 4) * BUCKETS + ((high >>> (digit * 8)) & 255)]!++;
      }
    }
    let source = { slots: this.slots, high: this.high, low: this.low };
    let target = { slots: this.#spareSlots, high: this.#spareHigh, low: this.#spareLow };
    for (let digit = 0; digit < DIGITS; digit++) {
      const words = digit < 4 ? "low" : "high";
      const shift = (digit & 3) * 8;
      const base = digit * BUCKETS;
      if (counts[base + ((source[words][from]! >>> shift) & 255)] === to - from) continue;
      let next = from;
      for (let bucket = base; bucket < base + BUCKETS; bucket++) {
        const size = counts[bucket]!;
        counts[bucket] = next;
        next += size;
      }
      const { slots, high, low } = source;
      const key = source[words];
      for (let i = from; i < to; i++) {
        const at = counts[base + ((key[i]! >>> shift) & 255)]!++;
        target.slots[at] = slots[i]!;
        target.high[at] = high[i]!;
        target.low[at] = low[i]!;
      }
      [source, target] = [target, source];
    }
    if (source.slots === this.slots) return;
    this.slots.set(source.slots.subarray(from, to), from);
    this.high.set(source.high.subarray(from, to), from);
    this.low.set(source.low.subarray(from, to), from);
  }

  /** Calls `visit` for each run of two or more equal keys in a sorted range. */
  forEachTie(from: number, to: number, visit: (from: number, to: number) => void): void {
    for (let first = from; first < to; ) {
      const high = this.high[first]!;
      const low = this.low[first]!;
      let last = first + 1;
      while (last < to && this.low[last] === low && this.high[last] === high) last++;
      if (last - first > 1) visit(first, last);
      first = last;
    }
  }
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
