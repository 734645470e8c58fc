/** Which rows meet a condition, as a set of slots: made once, kept for the next page, and corrected with every changed row. */
import { type Bits, createBits, hasBit, setBit, writeBit } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import type { FlagColumn } from "./flag-column.ts";
import type { SearchColumn } from "./search-column.ts";
import type { Order } from "./sorted-index.ts";
import type { Grams } from "./trigram-index.ts";
import type { Value } from "./values.ts";

/** What a row must meet. Nulls meet nothing. */
export type Condition =
  | { column: string; is: boolean }
  /** Between two values, both included; an absent bound is open. `column` may be `id`. */
  | { column: string; from?: Exclude<Value, boolean>; to?: Exclude<Value, boolean> }
  /** Bytes anywhere in the text of a search column; empty bytes are in every text. */
  | { column: string; contains: Uint8Array }
  | { anyOf: readonly Condition[] };

/** What conditions are looked up in. */
export type Lookups = {
  flag(column: string): FlagColumn;
  sorted(column: string): { order: Order; column: SortableColumn };
  search(column: string): { column: SearchColumn; grams: Grams };
};

/** So many sets are kept; 125 KB each at a million rows. */
const KEPT = 64;

type Kept = { condition: Condition; columns: Set<string>; bits: Bits };

export class Matches {
  readonly #lookups: Lookups;
  /** By the condition's text; the one used longest ago comes first. */
  readonly #kept = new Map<string, Kept>();

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
  }

  get size(): number {
    return this.#kept.size;
  }

  get byteLength(): number {
    let sum = 0;
    for (const { bits } of this.#kept.values()) sum += bits.byteLength;
    return sum;
  }

  /** Drops every set; for a table that was given more slots. */
  clear(): void {
    this.#kept.clear();
  }

  /** The rows that meet a condition, not to be written to. Slots without a row may be in it. */
  bits(condition: Condition, capacity: number): Bits {
    const key = textOf(condition);
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { condition, columns: new Set(columnsOf(condition)), bits: this.#blank(capacity) };
      this.#fill(kept.bits, condition);
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.bits;
  }

  /** Corrects the sets for a row whose values in `columns` changed. */
  refresh(slot: number, columns: ReadonlySet<string>): void {
    for (const kept of this.#kept.values())
      if (!kept.columns.isDisjointFrom(columns)) writeBit(kept.bits, slot, this.#meets(slot, kept.condition));
  }

  #blank(capacity: number): Bits {
    if (this.#kept.size < KEPT) return createBits(capacity);
    const [key, oldest] = this.#kept.entries().next().value!;
    this.#kept.delete(key);
    return oldest.bits.fill(0);
  }

  #fill(bits: Bits, condition: Condition): void {
    if ("anyOf" in condition) for (const each of condition.anyOf) this.#fill(bits, each);
    else if ("is" in condition) {
      const { bits: flags } = this.#lookups.flag(condition.column);
      for (let word = 0; word < bits.length; word++) bits[word]! |= condition.is ? flags[word]! : ~flags[word]!;
    } else if ("contains" in condition) {
      const { column, grams } = this.#lookups.search(condition.column);
      if (condition.contains.length > 0) grams.fill(bits, condition.contains);
      else for (let slot = 0; slot < bits.length * 32; slot++) if (column.text(slot) !== null) setBit(bits, slot);
    } else {
      const { order, column } = this.#lookups.sorted(condition.column);
      const { from, to } = condition;
      const first = from === undefined ? 0 : order.lowerBound((slot) => column.compareValue(slot, from));
      const last =
        to === undefined
          ? order.length - column.nullCount
          : order.lowerBound((slot) => (column.compareValue(slot, to) > 0 ? 0 : -1));
      order.fill(bits, first, last);
    }
  }

  #meets(slot: number, condition: Condition): boolean {
    if ("anyOf" in condition) return condition.anyOf.some((each) => this.#meets(slot, each));
    if ("is" in condition) return hasBit(this.#lookups.flag(condition.column).bits, slot) === condition.is;
    if ("contains" in condition)
      return this.#lookups.search(condition.column).column.includes(slot, condition.contains);
    const { column } = this.#lookups.sorted(condition.column);
    const { from, to } = condition;
    if (column.isNull(slot)) return false;
    if (from !== undefined && column.compareValue(slot, from) < 0) return false;
    return to === undefined || column.compareValue(slot, to) <= 0;
  }
}

function columnsOf(condition: Condition): string[] {
  return "anyOf" in condition ? condition.anyOf.flatMap(columnsOf) : [condition.column];
}

function textOf(condition: Condition): string {
  if ("anyOf" in condition) return `(${condition.anyOf.map(textOf).join("|")})`;
  if ("is" in condition) return `${condition.column}?${condition.is}`;
  if ("contains" in condition) return `${condition.column}~${textOfValue(condition.contains)}`;
  return `${condition.column}=${textOfValue(condition.from)}..${textOfValue(condition.to)}`;
}

/** Bytes as hexadecimal: no value can be taken for the words around it. */
const textOfValue = (value: Value | undefined): string =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")
    : String(value);
