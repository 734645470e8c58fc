/** The order of the slots with a value in one column, equal values by id, and the searches for a slot's place in that order. */
import type { SortableColumn } from "./bulk-sort.ts";
import { NumberColumn, type NumberValues } from "./number-column.ts";

/** Each search has a loop for numbers, which calls nothing: a changed row looks for two places among a million. */
export class SlotOrder {
  readonly #column: SortableColumn;
  readonly #numbers: NumberColumn | undefined;
  readonly #ids: NumberColumn;

  /** @param ids by slot, no two the same; `column` itself for the order by id */
  constructor(column: SortableColumn, ids: NumberColumn) {
    this.#column = column;
    this.#numbers = column instanceof NumberColumn ? column : undefined;
    this.#ids = ids;
  }

  /** The first index from `from` to `to` of the ordered `slots` whose slot is not below a slot; else `to`. */
  placeOf(slot: number, slots: Int32Array, from: number, to: number): number {
    let low = from;
    let high = to;
    const numbers = this.#plainNumbers();
    if (numbers === undefined) {
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#compare(slots[middle]!, slot) < 0) low = middle + 1;
        else high = middle;
      }
      return low;
    }
    const ids = this.#ids.values;
    const key = numbers[slot]!;
    const id = ids[slot]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = slots[middle]!;
      const value = numbers[other]!;
      if (value < key || (value === key && ids[other]! < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The last of the ordered blocks whose first slot is not above a slot; 0 when there is none.
   * @param sequence numbers of the `blocks` blocks in order; block `b` begins at `pool[b * size]`
   */
  lastNotAbove(slot: number, pool: Int32Array, sequence: Int32Array, blocks: number, size: number): number {
    let low = 0;
    let high = blocks - 1;
    const numbers = this.#plainNumbers();
    if (numbers === undefined) {
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (this.#compare(pool[sequence[middle]! * size]!, slot) > 0) high = middle - 1;
        else low = middle;
      }
      return low;
    }
    const ids = this.#ids.values;
    const key = numbers[slot]!;
    const id = ids[slot]!;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = pool[sequence[middle]! * size]!;
      const value = numbers[first]!;
      if (value < key || (value === key && ids[first]! <= id)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The values by slot, unless values of the column are stored exactly in addition to them. */
  #plainNumbers(): NumberValues | undefined {
    return this.#numbers?.exact.size === 0 ? this.#numbers.values : undefined;
  }

  #compare(a: number, b: number): number {
    return this.#column.compare(a, b) || this.#ids.values[a]! - this.#ids.values[b]!;
  }
}
