/** The rows that meet some conditions, as a set of slots with its size: computed once, cached for the next page, updated with each changed row. */
import { type Bits, countBits, createBits, hasBit, intersect, setBit, writeBit } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import type { FlagColumn } from "./flag-column.ts";
import type { NumberColumn } from "./number-column.ts";
import type { SearchColumn } from "./search-column.ts";
import type { SortedIndex } from "./sorted-index.ts";
import type { TrigramIndex } from "./trigram-index.ts";
import type { Value } from "./values.ts";

/** A condition on a row. Nulls meet none. */
export type Condition =
  | { column: string; is: boolean }
  /** Between two values, both included; a missing bound is open. `column` may be `id`. */
  | { column: string; from?: FilterBound; to?: FilterBound }
  /** Contained in the text of a search column; empty bytes are in every text. */
  | { column: string; contains: Uint8Array }
  | { anyOf: readonly Condition[] };

/** The rows that meet all of some conditions, and their number. Read-only, and valid until the next call. */
export type Selection = { readonly bits: Bits; readonly count: number };

/** The columns and indexes of a table that conditions are evaluated on. */
export type FilterSources = {
  /** Slots with a row. */
  live(): Bits;
  flag(column: string): FlagColumn;
  sorted(column: string): { index: SortedIndex; column: SortableColumn } | { index: undefined; column: NumberColumn };
  search(column: string): { column: SearchColumn; trigrams: TrigramIndex };
};

/** Bound: cached sets of filters; 125 KB each at a million rows. */
const MAX_CACHED = 128;

type FilterBound = Exclude<Value, boolean> | undefined;
type NumberBound = number | bigint | undefined;
type CachedSet = { key: string; bits: Bits; count: number };
/** The rows that meet one condition; `within`: the common sets that it is a part of. */
type ConditionSet = CachedSet & {
  meets: (slot: number) => boolean;
  columns: readonly string[];
  within: Set<CommonSet>;
};
/** The rows that are in all of its parts. */
type CommonSet = CachedSet & { parts: readonly ConditionSet[] };

export class FilterCache {
  readonly #sources: FilterSources;
  /** By the text of the conditions; the least recently used is first. The parts of a common set are behind it. */
  readonly #cached = new Map<string, ConditionSet | CommonSet>();
  /** By each column of the condition: most changes of a row concern few of them. */
  readonly #byColumn = new Map<string, Set<ConditionSet>>();

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
    this.#byColumn.clear();
  }

  /** The rows that meet all conditions, of which there is at least one. */
  select(where: readonly Condition[], capacity: number): Selection {
    const texts = where.map(textOf);
    const key = texts.join("&");
    const common = where.length === 1 ? undefined : (this.#cached.get(key) as CommonSet | undefined);
    if (common !== undefined) {
      this.#use(common);
      for (const part of common.parts) this.#use(part);
      return common;
    }
    const parts = where.map((condition, i) => this.#ofCondition(texts[i]!, condition, capacity));
    return parts.length === 1 ? parts[0]! : this.#commonOf(key, parts, capacity);
  }

  /**
   * Updates the sets for a row whose value in `column` changed. A common set is updated only where the row entered or left
   * one of its parts, so a change of a score within the bounds of a filter costs nothing more.
   */
  refresh(slot: number, column: string): void {
    const sets = this.#byColumn.get(column);
    if (sets === undefined) return;
    for (const set of sets) {
      if (!write(set, slot, set.meets(slot))) continue;
      for (const common of set.within)
        write(
          common,
          slot,
          common.parts.every(({ bits }) => hasBit(bits, slot)),
        );
    }
  }

  /** The slot has no row any more. */
  forget(slot: number): void {
    for (const set of this.#cached.values()) write(set, slot, false);
  }

  #ofCondition(key: string, condition: Condition, capacity: number): ConditionSet {
    const entry = this.#cached.get(key) as ConditionSet | undefined;
    if (entry !== undefined) return this.#use(entry);
    const columns = columnsOf(condition);
    const meets = this.#test(condition);
    const set: ConditionSet = { key, meets, columns, within: new Set(), bits: this.#blank(capacity), count: 0 };
    this.#fill(set.bits, condition);
    intersect(set.bits, this.#sources.live());
    set.count = countBits(set.bits);
    for (const column of columns) {
      const sets = this.#byColumn.get(column) ?? new Set();
      this.#byColumn.set(column, sets.add(set));
    }
    return this.#use(set);
  }

  #commonOf(key: string, parts: readonly ConditionSet[], capacity: number): CommonSet {
    const bits = this.#blank(capacity);
    bits.set(parts[0]!.bits);
    for (const part of parts.slice(1)) intersect(bits, part.bits);
    const set: CommonSet = { key, parts, bits, count: countBits(bits) };
    this.#use(set);
    for (const part of parts) this.#use(part).within.add(set);
    return set;
  }

  /** Makes a set the most recently used one. */
  #use<Set extends ConditionSet | CommonSet>(set: Set): Set {
    this.#cached.delete(set.key);
    this.#cached.set(set.key, set);
    return set;
  }

  /** An empty set, in the place of the least recently used one where there are enough. */
  #blank(capacity: number): Bits {
    if (this.#cached.size < MAX_CACHED) return createBits(capacity);
    const oldest = this.#cached.values().next().value!;
    this.#drop(oldest);
    return oldest.bits.fill(0);
  }

  /**
   * Forgets the least recently used set. It is no part of a common set: each use of a common set uses its parts right after,
   * so the parts are more recently used.
   */
  #drop(set: ConditionSet | CommonSet): void {
    this.#cached.delete(set.key);
    if ("parts" in set) {
      for (const { within } of set.parts) within.delete(set);
      return;
    }
    for (const column of set.columns) this.#byColumn.get(column)!.delete(set);
  }

  /** Adds the slots that meet a condition, and maybe some without a row. */
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
      this.#fillRange(bits, condition.column, condition.from, condition.to);
    }
  }

  #fillRange(bits: Bits, name: string, from: FilterBound, to: FilterBound): void {
    const { index, column } = this.#sources.sorted(name);
    if (index === undefined) {
      column.fill(bits, from as NumberBound, to as NumberBound);
      return;
    }
    const first = from === undefined ? 0 : index.lowerBound((slot) => column.compareValue(slot, from));
    const last =
      to === undefined ? index.length : index.lowerBound((slot) => (column.compareValue(slot, to) > 0 ? 0 : -1));
    index.fill(bits, first, last);
  }

  /** Whether a slot's row meets a condition, with its columns found once. */
  #test(condition: Condition): (slot: number) => boolean {
    if ("anyOf" in condition) {
      const tests = condition.anyOf.map((each) => this.#test(each));
      return (slot) => tests.some((meets) => meets(slot));
    }
    if ("is" in condition) {
      const column = this.#sources.flag(condition.column);
      return (slot) => hasBit(column.bits, slot) === condition.is;
    }
    if ("contains" in condition) {
      const { column } = this.#sources.search(condition.column);
      return (slot) => column.includes(slot, condition.contains);
    }
    const { column } = this.#sources.sorted(condition.column);
    const { from, to } = condition;
    return (slot) =>
      !column.isNull(slot) &&
      (from === undefined || column.compareValue(slot, from) >= 0) &&
      (to === undefined || column.compareValue(slot, to) <= 0);
  }
}

/** @returns whether it changed */
function write(set: CachedSet, slot: number, member: boolean): boolean {
  if (hasBit(set.bits, slot) === member) return false;
  writeBit(set.bits, slot, member);
  set.count += member ? 1 : -1;
  return true;
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

/** Bytes as characters behind their number, so that no value can be mistaken for the text around it. */
function textOfValue(value: Value | undefined): string {
  if (!(value instanceof Uint8Array)) return String(value);
  let text = `${value.length}:`;
  for (let i = 0; i < value.length; i++) text += String.fromCharCode(value[i]!);
  return text;
}
