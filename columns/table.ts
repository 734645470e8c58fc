/** A table in memory, stored by column: sorted by every column at all times, filtered by bit sets, exact after every change. */
import { type Bits, clearBit, countBits, createBits, intersect, resizeBits, setBit, subtract } from "./bits.ts";
import { BytesColumn } from "./bytes-column.ts";
import { type Condition, FilterCache } from "./filter-cache.ts";
import { findPage, type Position } from "./find-page.ts";
import { FlagColumn } from "./flag-column.ts";
import type { NumberColumn } from "./number-column.ts";
import { SearchColumn } from "./search-column.ts";
import { SortedIndex } from "./sorted-index.ts";
import { type Column, capacityFor, isSortable, openColumns, type TableImage } from "./table-image.ts";
import { TrigramIndex } from "./trigram-index.ts";
import { ID, type TableDefinition, type Value, type Values } from "./values.ts";

export type TableQuery = {
  /** A row must meet all of them. */
  where: readonly Condition[];
  /** A number, text or bytes column, or `id`. */
  sort: string;
  /** Greatest first. In both directions nulls are last and equal keys are in ascending order of id. */
  descending: boolean;
  position: Position;
  limit: number;
};

export type TablePage = {
  ids: number[];
  /** Number of rows that meet the conditions. */
  total: number;
  /** Number of these rows before the page. */
  skipped: number;
  /** The page's last row as a cursor; null for an empty page. */
  last: { key: Value; id: number } | null;
};

export class ColumnTable {
  readonly #columns: Map<string, Column>;
  readonly #names: readonly string[];
  readonly #ids: NumberColumn;
  readonly #sortedIndexes = new Map<string, SortedIndex>();
  readonly #trigramIndexes = new Map<string, TrigramIndex>();
  readonly #filters: FilterCache;
  /** Slots with a row. */
  #live: Bits;
  /** Slots below this one are in use or in `#free`. */
  #used: number;
  #free: number[] = [];
  #capacity: number;
  #scratch: Bits;

  constructor(definition: TableDefinition, image?: TableImage) {
    this.#columns = openColumns(definition, image?.columns);
    this.#names = Object.keys(definition);
    this.#ids = this.#columns.get(ID) as NumberColumn;
    for (const [name, column] of this.#columns) {
      if (isSortable(column)) {
        const compare =
          name === ID
            ? (a: number, b: number) => column.compare(a, b)
            : (a: number, b: number) => column.compare(a, b) || this.#ids.values[a]! - this.#ids.values[b]!;
        this.#sortedIndexes.set(name, new SortedIndex(compare, image?.sortedIndexes[name]));
      } else if (column instanceof SearchColumn)
        this.#trigramIndexes.set(name, new TrigramIndex(column, image?.trigramIndexes[name]));
    }
    this.#filters = new FilterCache({
      flag: (name) => this.#flag(name),
      sorted: (name) => this.#sorted(name),
      search: (name) => this.#search(name),
    });
    this.#capacity = image?.capacity ?? 0;
    this.#used = image?.size ?? 0;
    this.#live = image?.live ?? createBits(0);
    this.#scratch = createBits(this.#capacity);
  }

  /** Number of rows. */
  get size(): number {
    return this.#sortedIndexes.get(ID)!.length;
  }

  /** Bytes of the typed arrays. */
  get byteLength(): number {
    const parts = [
      ...this.#columns.values(),
      ...this.#sortedIndexes.values(),
      ...this.#trigramIndexes.values(),
      this.#filters,
    ];
    return parts.reduce((sum, part) => sum + part.byteLength, this.#live.byteLength + this.#scratch.byteLength);
  }

  has(id: number): boolean {
    return this.#slotOf(id) >= 0;
  }

  /** The values of a row in the order of the definition; undefined when there is none. Bytes are copies. */
  get(id: number): Values | undefined {
    const slot = this.#slotOf(id);
    if (slot < 0) return undefined;
    return this.#names.map((name) => {
      const value = this.#columns.get(name)!.read(slot);
      return value instanceof Uint8Array ? value.slice() : value;
    });
  }

  /** Adds a row, or replaces the values of the row with that id. @returns whether a value changed */
  put(id: number, values: Values): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0) {
      this.#add(id, values);
      return true;
    }
    const changes: [string, Value][] = [];
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i]!;
      if (!this.#columns.get(name)!.equals(slot, values[i]!)) changes.push([name, values[i]!]);
    }
    this.#change(slot, changes);
    return changes.length > 0;
  }

  /** Replaces one value of a row. @returns whether it changed; false when there is no such row */
  set(id: number, column: string, value: Value): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0 || this.#columns.get(column)!.equals(slot, value)) return false;
    this.#change(slot, [[column, value]]);
    return true;
  }

  /** @returns false when there was no such row */
  delete(id: number): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0) return false;
    for (const index of this.#sortedIndexes.values()) index.remove(slot);
    for (const trigrams of this.#trigramIndexes.values()) trigrams.forget(slot);
    for (const column of this.#columns.values()) column.erase(slot);
    clearBit(this.#live, slot);
    this.#free.push(slot);
    return true;
  }

  /** One page and the exact total. Cost: a few walks over bits, for any filter, sort and page. */
  page({ where, sort, descending, position, limit }: TableQuery): TablePage {
    const { bits, total } = this.#filter(where);
    const view = { ...this.#sorted(sort), ids: this.#ids.values };
    const { slots, skipped } = findPage(view, { bits, total, descending, position, limit });
    const last = slots.at(-1);
    return {
      ids: slots.map((slot) => this.#ids.values[slot]!),
      total,
      skipped,
      last: last === undefined ? null : { key: copied(view.column.read(last)), id: this.#ids.values[last]! },
    };
  }

  /** Number of rows that meet all conditions. */
  count(where: readonly Condition[]): number {
    return this.#filter(where).total;
  }

  /** Sum of a number column over all rows in double arithmetic; nulls count as 0. */
  sum(name: string): number {
    const { column } = this.#sorted(name);
    if (column instanceof BytesColumn) throw new TypeError(`${name} is no number column`);
    return column.sum;
  }

  /** Merges segments of the trigram indexes for about `budgetMs`; call it after changes. @returns whether more is to do */
  maintain(budgetMs: number): boolean {
    let more = false;
    for (const trigrams of this.#trigramIndexes.values()) more = trigrams.maintain(budgetMs) || more;
    return more;
  }

  /** The rows that meet all conditions, in a set that the next call reuses. */
  #filter(where: readonly Condition[]): { bits: Bits | null; total: number } {
    if (where.length === 0) return { bits: null, total: this.size };
    const bits = this.#scratch;
    bits.set(this.#live);
    for (const condition of where) {
      if (!("is" in condition)) intersect(bits, this.#filters.bits(condition, this.#capacity));
      else if (condition.is) intersect(bits, this.#flag(condition.column).bits);
      else subtract(bits, this.#flag(condition.column).bits);
    }
    return { bits, total: countBits(bits) };
  }

  #slotOf(id: number): number {
    const index = this.#sortedIndexes.get(ID)!;
    const position = index.lowerBound((slot) => this.#ids.values[slot]! - id);
    if (position === index.length) return -1;
    const slot = index.at(position);
    return this.#ids.values[slot] === id ? slot : -1;
  }

  #add(id: number, values: Values): void {
    if (!Number.isSafeInteger(id)) throw new RangeError(`${id} is not an id`);
    if (this.#free.length === 0 && this.#used === this.#capacity) this.#grow();
    const slot = this.#free.pop() ?? this.#used++;
    this.#ids.write(slot, id);
    for (let i = 0; i < this.#names.length; i++) this.#columns.get(this.#names[i]!)!.write(slot, values[i]!);
    for (const index of this.#sortedIndexes.values()) index.insert(slot);
    for (const trigrams of this.#trigramIndexes.values()) trigrams.change(slot);
    setBit(this.#live, slot);
    this.#filters.refresh(slot, new Set(this.#columns.keys()));
  }

  #change(slot: number, changes: [column: string, value: Value][]): void {
    if (changes.length === 0) return;
    const changed = new Set(changes.map(([name]) => name));
    for (const [name, column] of this.#columns) {
      // A search column without a text of its own changes with the column `of`.
      if (column instanceof SearchColumn && [...changed].some((other) => this.#columns.get(other) === column.of))
        changed.add(name);
    }
    for (const name of changed) this.#sortedIndexes.get(name)?.remove(slot);
    for (const [name, value] of changes) this.#columns.get(name)!.write(slot, value);
    for (const name of changed) {
      this.#sortedIndexes.get(name)?.insert(slot);
      this.#trigramIndexes.get(name)?.change(slot);
    }
    this.#filters.refresh(slot, changed);
  }

  #grow(): void {
    this.#capacity = capacityFor(this.#capacity * 1.2);
    for (const column of this.#columns.values()) column.reserve(this.#capacity);
    for (const trigrams of this.#trigramIndexes.values()) trigrams.reserve(this.#capacity);
    this.#live = resizeBits(this.#live, this.#capacity);
    this.#scratch = createBits(this.#capacity);
    this.#filters.clear();
  }

  #flag(name: string): FlagColumn {
    const column = this.#columns.get(name);
    if (column instanceof FlagColumn) return column;
    throw new TypeError(`${name} is no flag column`);
  }

  #sorted(name: string) {
    const column = this.#columns.get(name);
    if (column !== undefined && isSortable(column)) return { column, index: this.#sortedIndexes.get(name)! };
    throw new TypeError(`${name} is no sortable column`);
  }

  #search(name: string) {
    const column = this.#columns.get(name);
    if (column instanceof SearchColumn) return { column, trigrams: this.#trigramIndexes.get(name)! };
    throw new TypeError(`${name} is no search column`);
  }
}

const copied = (value: Value): Value => (value instanceof Uint8Array ? value.slice() : value);
