/** The rows that meet a condition, as a set of slots: computed once, cached for the next page, updated with each changed row. */
import { type Bits, createBits, hasBit, setBit, writeBit } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import type { FlagColumn } from "./flag-column.ts";
import type { SearchColumn } from "./search-column.ts";
import type { SortedIndex } from "./sorted-index.ts";
import type { TrigramIndex } from "./trigram-index.ts";
import type { Value } from "./values.ts";

/** A condition on a row. Nulls meet none. */
export type Condition =
  | { column: string; is: boolean }
  /** Between two values, both included; a missing bound is open. `column` may be `id`. */
  | { column: string; from?: Exclude<Value, boolean>; to?: Exclude<Value, boolean> }
  /** Contained in the text of a search column; empty bytes are in every text. */
  | { column: string; contains: Uint8Array }
  | { anyOf: readonly Condition[] };

/** The columns and indexes of a table that conditions are evaluated on. */
export type FilterSources = {
  flag(column: string): FlagColumn;
  sorted(column: string): { index: SortedIndex; column: SortableColumn };
  search(column: string): { column: SearchColumn; trigrams: TrigramIndex };
};

/** Max cached sets; 125 KB each at a million rows. */
const MAX_CACHED = 64;

type CachedFilter = { condition: Condition; columns: Set<string>; bits: Bits };

export class FilterCache {
  readonly #sources: FilterSources;
  /** By the condition's text; the least recently used is first. */
  readonly #cached = new Map<string, CachedFilter>();

  constructor(sources: FilterSources) {
    this.#sources = sources;
  }

  get size(): number {
    return this.#cached.size;
  }

  get byteLength(): number {
    let sum = 0;
    for (const { bits } of this.#cached.values()) sum += bits.byteLength;
    return sum;
  }

  /** Drops every set; for a table that has got more slots. */
  clear(): void {
    this.#cached.clear();
  }

  /** The rows that meet a condition; read-only. May contain slots without a row. */
  bits(condition: Condition, capacity: number): Bits {
    const key = textOf(condition);
    let cached = this.#cached.get(key);
    if (cached === undefined) {
      cached = { condition, columns: new Set(columnsOf(condition)), bits: this.#blank(capacity) };
      this.#fill(cached.bits, condition);
    }
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    return cached.bits;
  }

  /** Updates the sets for a row whose values in `columns` changed. */
  refresh(slot: number, columns: ReadonlySet<string>): void {
    for (const cached of this.#cached.values())
      if (!cached.columns.isDisjointFrom(columns)) writeBit(cached.bits, slot, this.#meets(slot, cached.condition));
  }

  #blank(capacity: number): Bits {
    if (this.#cached.size < MAX_CACHED) return createBits(capacity);
    const [key, oldest] = this.#cached.entries().next().value!;
    this.#cached.delete(key);
    return oldest.bits.fill(0);
  }

  #fill(bits: Bits, condition: Condition): void {
    if ("anyOf" in condition) for (const each of condition.anyOf) this.#fill(bits, each);
    else if ("is" in condition) {
      const { bits: flags } = this.#sources.flag(condition.column);
      for (let word = 0; word < bits.length; word++) bits[word]! |= condition.is ? flags[word]! : ~flags[word]!;
    } else if ("contains" in condition) {
      const { column, trigrams } = this.#sources.search(condition.column);
      if (condition.contains.length > 0) trigrams.fill(bits, condition.contains);
      else for (let slot = 0; slot < bits.length * 32; slot++) if (column.text(slot) !== null) setBit(bits, slot);
    } else {
      const { index, column } = this.#sources.sorted(condition.column);
      const { from, to } = condition;
      const first = from === undefined ? 0 : index.lowerBound((slot) => column.compareValue(slot, from));
      const last =
        to === undefined
          ? index.length - column.nullCount
          : index.lowerBound((slot) => (column.compareValue(slot, to) > 0 ? 0 : -1));
      index.fill(bits, first, last);
    }
  }

  #meets(slot: number, condition: Condition): boolean {
    if ("anyOf" in condition) return condition.anyOf.some((each) => this.#meets(slot, each));
    if ("is" in condition) return hasBit(this.#sources.flag(condition.column).bits, slot) === condition.is;
    if ("contains" in condition)
      return this.#sources.search(condition.column).column.includes(slot, condition.contains);
    const { column } = this.#sources.sorted(condition.column);
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

/** Bytes as hexadecimal, so that no value can be mistaken for the text around it. */
const textOfValue = (value: Value | undefined): string =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")
    : String(value);
