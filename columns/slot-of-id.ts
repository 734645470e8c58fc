/** The slot of each id as one array by id, where ids are dense enough for that. */
import { type Bits, hasBit } from "./bits.ts";
import type { NumberColumn } from "./number-column.ts";

/** Max ids for each slot: at four bytes an id, 16 bytes a row. Beyond that the sorted index of ids is searched. */
const MAX_IDS_PER_SLOT = 4;

export class SlotOfId {
  readonly #ids: NumberColumn;
  /** slot + 1 by id; 0: no row. Every row with an id below its length is in it. */
  #slots = new Int32Array(0);

  /** @param size the slots below it have rows @param greatest of their ids; -1 without rows */
  constructor(ids: NumberColumn, size: number, greatest: number) {
    this.#ids = ids;
    const length = this.#lengthFor(greatest);
    if (length === 0) return;
    const slots = new Int32Array(length);
    const { values } = ids;
    for (let slot = 0; slot < size; slot++) {
      const id = values[slot]!;
      if (id >= 0) slots[id] = slot + 1;
    }
    this.#slots = slots;
  }

  get byteLength(): number {
    return this.#slots.byteLength;
  }

  /** -1 when no row has the id; undefined when it is not known here. */
  get(id: number): number | undefined {
    return id >= 0 && id < this.#slots.length ? (this.#slots[id] ?? 0) - 1 : undefined;
  }

  /** @param live the slots of all other rows */
  set(id: number, slot: number, live: Bits): void {
    if (id >= this.#slots.length) {
      const length = this.#lengthFor(id);
      if (length === 0) return;
      this.#slots = new Int32Array(length);
      for (let other = 0; other < live.length * 32; other++) {
        const id = this.#ids.values[other]!;
        if (id >= 0 && id < length && hasBit(live, other)) this.#slots[id] = other + 1;
      }
    }
    if (id >= 0) this.#slots[id] = slot + 1;
  }

  delete(id: number): void {
    if (id >= 0 && id < this.#slots.length) this.#slots[id] = 0;
  }

  /** Length of the array that has an id, with room for more; 0 when the id is too large for one. */
  #lengthFor(id: number): number {
    const most = this.#ids.values.length * MAX_IDS_PER_SLOT;
    return id < most ? Math.min(most, Math.ceil(id * 1.05) + 1024) : 0;
  }
}
