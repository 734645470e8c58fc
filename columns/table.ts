/** A table in memory, stored by column: sorted by every column at all times, filtered by bit sets, exact after every change. */
import { type Bits, clearBit, createBits, resizeBits, setBit } from "./bits.ts";
import type { SortableColumn } from "./bulk-sort.ts";
import { BytesColumn } from "./bytes-column.ts";
import { type Condition, FilterCache } from "./filter-cache.ts";
import { findPage, type Position } from "./find-page.ts";
import { FlagColumn } from "./flag-column.ts";
import { NumberColumn } from "./number-column.ts";
import { SearchColumn } from "./search-column.ts";
import { SlotOfId } from "./slot-of-id.ts";
import { SlotOrder } from "./slot-order.ts";
import { SortedIndex } from "./sorted-index.ts";
import { type Column, capacityFor, hasIndex, openColumns, type TableImage } from "./table-image.ts";
import { TrigramIndex } from "./trigram-index.ts";
import { ID, type SomeValues, type TableDefinition, type Value, type Values } from "./values.ts";

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
  total: number;
  /** Number of these rows before the page. */
  skipped: number;
  /** The page's last row as a cursor; null for an empty page. */
  last: { key: Value; id: number } | null;
};

/** A column with what depends on its values. */
type Part = {
  readonly name: string;
  readonly column: Column;
  readonly sorted: SortedIndex | undefined;
  readonly trigrams: TrigramIndex | undefined;
  /** Places of the search columns that search this column where they have no text of their own. */
  readonly searchedBy: number[];
};

/** Place of the id among the parts; the columns of the definition follow in its order. */
const ID_PART = 0;

export class ColumnTable {
  readonly #parts: Part[] = [];
  readonly #byName = new Map<string, number>();
  readonly #ids: NumberColumn;
  readonly #byId: SortedIndex;
  readonly #slotOfId: SlotOfId;
  readonly #filters: FilterCache;
  /** Slots with a row. */
  #live: Bits;
  /** Slots below this one are in use or in `#free`. */
  #used: number;
  #free: number[] = [];
  #capacity: number;

  constructor(definition: TableDefinition, image?: TableImage) {
    const columns = openColumns(definition, image?.columns);
    this.#ids = columns.get(ID) as NumberColumn;
    for (const [name, column] of columns) {
      const sorted = hasIndex(definition, name, column)
        ? new SortedIndex(new SlotOrder(column, this.#ids), image?.sortedIndexes[name])
        : undefined;
      const trigrams =
        column instanceof SearchColumn ? new TrigramIndex(column, image?.trigramIndexes[name]) : undefined;
      if (column instanceof SearchColumn)
        for (const part of this.#parts) if (part.column === column.of) part.searchedBy.push(this.#parts.length);
      this.#byName.set(name, this.#parts.length);
      this.#parts.push({ name, column, sorted, trigrams, searchedBy: [] });
    }
    this.#byId = this.#parts[ID_PART]!.sorted!;
    this.#filters = new FilterCache({
      live: () => this.#live,
      flag: (name) => this.#flag(name),
      sorted: (name) => this.#sorted(name),
      search: (name) => this.#search(name),
    });
    this.#capacity = image?.capacity ?? 0;
    this.#used = image?.size ?? 0;
    this.#live = image?.live ?? createBits(0);
    this.#slotOfId = new SlotOfId(
      this.#ids,
      this.size,
      this.size === 0 ? -1 : this.#ids.values[this.#byId.at(this.size - 1)]!,
    );
  }

  get size(): number {
    return this.#byId.length;
  }

  /** Bytes of the typed arrays. */
  get byteLength(): number {
    const parts = this.#parts.flatMap(({ column, sorted, trigrams }) => [column, sorted, trigrams]);
    return [...parts, this.#slotOfId, this.#filters].reduce(
      (sum, part) => sum + (part?.byteLength ?? 0),
      this.#live.byteLength,
    );
  }

  has(id: number): boolean {
    return this.#findSlot(id) >= 0;
  }

  /** The values of a row in the order of the definition; undefined when there is none. Bytes are copies. */
  get(id: number): Values | undefined {
    const slot = this.#findSlot(id);
    if (slot < 0) return undefined;
    return this.#parts.slice(1).map(({ column }) => copied(column.read(slot)));
  }

  /** Adds a row, or replaces the values of the row with that id. @returns whether a value changed */
  put(id: number, values: Values): boolean {
    const slot = this.#findSlot(id);
    if (slot < 0) {
      this.#add(id, values);
      return true;
    }
    const changed: number[] = [];
    for (let place = 1; place < this.#parts.length; place++)
      if (!this.#parts[place]!.column.equals(slot, values[place - 1]!)) changed.push(place);
    if (changed.length > 0) this.#change(slot, changed, values);
    return changed.length > 0;
  }

  /** Replaces some values of a row. @returns whether one changed; false when there is no such row */
  set(id: number, some: SomeValues): boolean {
    const slot = this.#findSlot(id);
    if (slot < 0) return false;
    const changed: number[] = [];
    const values: Value[] = [];
    for (const column in some) {
      const place = this.#byName.get(column)!;
      if (this.#parts[place]!.column.equals(slot, some[column]!)) continue;
      changed.push(place);
      values[place - 1] = some[column]!;
    }
    if (changed.length > 0) this.#change(slot, changed, values);
    return changed.length > 0;
  }

  /** @returns false when there was no such row */
  delete(id: number): boolean {
    const slot = this.#findSlot(id);
    if (slot < 0) return false;
    for (const part of this.#parts) leave(part, slot);
    for (const { trigrams } of this.#parts) trigrams?.forget(slot);
    for (const { column } of this.#parts) column.erase(slot);
    this.#slotOfId.delete(id);
    clearBit(this.#live, slot);
    this.#filters.forget(slot);
    this.#free.push(slot);
    return true;
  }

  /** One page and the exact total. Cost: a few walks over bits, for any filter, sort and page. */
  page({ where, sort, descending, position, limit }: TableQuery): TablePage {
    const { bits, total } = this.#filter(where);
    const { column, index } = this.#sorted(sort);
    if (index === undefined) throw new TypeError(`${sort} is not sorted`);
    const view = { index, column, byId: this.#byId, ids: this.#ids.values };
    const { slots, skipped } = findPage(view, { bits, total, descending, position, limit });
    const last = slots.at(-1);
    return {
      ids: slots.map((slot) => this.#ids.values[slot]!),
      total,
      skipped,
      last: last === undefined ? null : { key: copied(view.column.read(last)), id: this.#ids.values[last]! },
    };
  }

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
    for (const { trigrams } of this.#parts) if (trigrams?.maintain(budgetMs)) more = true;
    return more;
  }

  /** The rows that meet all conditions; null for every row. */
  #filter(where: readonly Condition[]): { bits: Bits | null; total: number } {
    if (where.length === 0) return { bits: null, total: this.size };
    const { bits, count } = this.#filters.select(where, this.#capacity);
    return { bits, total: count };
  }

  /** -1 when no row has the id. */
  #findSlot(id: number): number {
    const known = this.#slotOfId.get(id);
    if (known !== undefined) return known;
    const position = this.#byId.lowerBound((slot) => this.#ids.values[slot]! - id);
    if (position === this.#byId.length) return -1;
    const slot = this.#byId.at(position);
    return this.#ids.values[slot] === id ? slot : -1;
  }

  #add(id: number, values: Values): void {
    if (!Number.isSafeInteger(id)) throw new RangeError(`${id} is not an id`);
    if (this.#free.length === 0 && this.#used === this.#capacity) this.#grow();
    const slot = this.#free.pop() ?? this.#used++;
    this.#ids.write(slot, id);
    for (let place = 1; place < this.#parts.length; place++) this.#parts[place]!.column.write(slot, values[place - 1]!);
    for (const part of this.#parts) enter(part, slot);
    for (const { trigrams } of this.#parts) trigrams?.change(slot);
    this.#slotOfId.set(id, slot, this.#live);
    setBit(this.#live, slot);
    for (const { name } of this.#parts) this.#filters.refresh(slot, name);
  }

  /** Writes the values of the parts at `changed`, of which there is at least one. @param values of a row, by place - 1 */
  #change(slot: number, changed: readonly number[], values: Values): void {
    const parts = this.#parts;
    for (const place of changed) leave(parts[place]!, slot);
    for (const place of changed) parts[place]!.column.write(slot, values[place - 1]!);
    for (const place of changed) {
      const { name, trigrams, searchedBy } = parts[place]!;
      enter(parts[place]!, slot);
      trigrams?.change(slot);
      this.#filters.refresh(slot, name);
      // A search column without a text of its own changes with the column that it searches.
      for (const search of searchedBy) {
        parts[search]!.trigrams!.change(slot);
        this.#filters.refresh(slot, parts[search]!.name);
      }
    }
  }

  #grow(): void {
    this.#capacity = capacityFor(this.#capacity * 1.2);
    for (const { column, trigrams } of this.#parts) {
      column.reserve(this.#capacity);
      trigrams?.reserve(this.#capacity);
    }
    this.#live = resizeBits(this.#live, this.#capacity);
    this.#filters.clear();
  }

  #flag(name: string): FlagColumn {
    const column = this.#part(name)?.column;
    if (column instanceof FlagColumn) return column;
    throw new TypeError(`${name} is no flag column`);
  }

  #sorted(name: string): { index: SortedIndex; column: SortableColumn } | { index: undefined; column: NumberColumn } {
    const part = this.#part(name);
    if (part?.sorted !== undefined) return { index: part.sorted, column: part.column as SortableColumn };
    if (part?.column instanceof NumberColumn) return { index: undefined, column: part.column };
    throw new TypeError(`${name} has no order`);
  }

  #search(name: string) {
    const part = this.#part(name);
    if (part?.trigrams !== undefined) return { column: part.column as SearchColumn, trigrams: part.trigrams };
    throw new TypeError(`${name} is no search column`);
  }

  #part(name: string): Part | undefined {
    const place = this.#byName.get(name);
    return place === undefined ? undefined : this.#parts[place];
  }
}

/** Adds a slot to the sorted index of a column, which has only slots with a value. */
function enter({ sorted, column }: Part, slot: number): void {
  if (sorted !== undefined && !(column as SortableColumn).isNull(slot)) sorted.insert(slot);
}

function leave({ sorted, column }: Part, slot: number): void {
  if (sorted !== undefined && !(column as SortableColumn).isNull(slot)) sorted.remove(slot);
}

const copied = (value: Value): Value => (value instanceof Uint8Array ? value.slice() : value);
