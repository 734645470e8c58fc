/** A table kept in memory by column: sorted by every column at all times, filtered by sets of bits, exact after every change. */
import { type Bits, clearBit, countBits, createBits, intersect, resizeBits, setBit, subtract } from "./bits.ts";
import { BytesColumn } from "./bytes-column.ts";
import { FlagColumn } from "./flag-column.ts";
import { type Condition, Matches } from "./matches.ts";
import type { NumberColumn } from "./number-column.ts";
import { type Position, pageOf } from "./page.ts";
import { SearchColumn } from "./search-column.ts";
import { Order } from "./sorted-index.ts";
import { type Column, isSortable, openColumns, roomFor, type TableImage } from "./table-image.ts";
import { Grams } from "./trigram-index.ts";
import { ID, type TableDefinition, type Value, type Values } from "./values.ts";

export type TableQuery = {
  /** Every one must be met. */
  where: readonly Condition[];
  /** A number, text or bytes column, or `id`. */
  sort: string;
  /** Greatest first. Nulls are last and equal keys are by id, ascending, either way. */
  descending: boolean;
  position: Position;
  limit: number;
};

export type TablePage = {
  ids: number[];
  /** All rows that meet the conditions. */
  total: number;
  /** Of those, how many come before the page. */
  skipped: number;
  /** The page's last row, as a cursor names it; null for an empty page. */
  last: { key: Value; id: number } | null;
};

export class ColumnTable {
  readonly #columns: Map<string, Column>;
  readonly #names: readonly string[];
  readonly #ids: NumberColumn;
  readonly #orders = new Map<string, Order>();
  readonly #grams = new Map<string, Grams>();
  readonly #matches: Matches;
  /** Slots that hold a row. */
  #live: Bits;
  /** Slots below this one are or were in use; those in `#free` hold nothing now. */
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
        this.#orders.set(name, new Order(compare, image?.orders[name]));
      } else if (column instanceof SearchColumn) this.#grams.set(name, new Grams(column, image?.grams[name]));
    }
    this.#matches = new Matches({
      flag: (name) => this.#flag(name),
      sorted: (name) => this.#sorted(name),
      search: (name) => this.#search(name),
    });
    this.#capacity = image?.capacity ?? 0;
    this.#used = image?.size ?? 0;
    this.#live = image?.live ?? createBits(0);
    this.#scratch = createBits(this.#capacity);
  }

  /** How many rows there are. */
  get size(): number {
    return this.#orders.get(ID)!.length;
  }

  /** Bytes of the typed arrays. */
  get byteLength(): number {
    const parts = [...this.#columns.values(), ...this.#orders.values(), ...this.#grams.values(), this.#matches];
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

  /** Adds a row, or gives the row of that id new values. @returns whether anything is different now */
  put(id: number, values: Values): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0) {
      this.#add(id, values);
      return true;
    }
    const changes: [string, Value][] = [];
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i]!;
      if (!this.#columns.get(name)!.holds(slot, values[i]!)) changes.push([name, values[i]!]);
    }
    this.#change(slot, changes);
    return changes.length > 0;
  }

  /** Gives one column of a row a new value. @returns whether anything is different now; false when there is no such row */
  set(id: number, column: string, value: Value): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0 || this.#columns.get(column)!.holds(slot, value)) return false;
    this.#change(slot, [[column, value]]);
    return true;
  }

  /** @returns false when there was no such row */
  delete(id: number): boolean {
    const slot = this.#slotOf(id);
    if (slot < 0) return false;
    for (const order of this.#orders.values()) order.remove(slot);
    for (const grams of this.#grams.values()) grams.forget(slot);
    for (const column of this.#columns.values()) column.erase(slot);
    clearBit(this.#live, slot);
    this.#free.push(slot);
    return true;
  }

  /** One page and the exact total. Cost: a few walks over bits, whatever the filter, the sort and the page. */
  page({ where, sort, descending, position, limit }: TableQuery): TablePage {
    const { bits, total } = this.#filter(where);
    const view = { ...this.#sorted(sort), ids: this.#ids.values };
    const { slots, skipped } = pageOf(view, { bits, total, descending, position, limit });
    const last = slots.at(-1);
    return {
      ids: slots.map((slot) => this.#ids.values[slot]!),
      total,
      skipped,
      last: last === undefined ? null : { key: copied(view.column.read(last)), id: this.#ids.values[last]! },
    };
  }

  /** How many rows meet every condition. */
  count(where: readonly Condition[]): number {
    return this.#filter(where).total;
  }

  /** Sum of a number column over all rows, as doubles add up; nulls count as 0. */
  sum(name: string): number {
    const { column } = this.#sorted(name);
    if (column instanceof BytesColumn) throw new TypeError(`${name} is no number column`);
    return column.sum;
  }

  /** Puts changed texts in order for about `budgetMs`; to be called now and then. @returns whether there is more to do */
  maintain(budgetMs: number): boolean {
    let more = false;
    for (const grams of this.#grams.values()) more = grams.maintain(budgetMs) || more;
    return more;
  }

  /** The rows that meet every condition, in a set that the next call reuses. */
  #filter(where: readonly Condition[]): { bits: Bits | null; total: number } {
    if (where.length === 0) return { bits: null, total: this.size };
    const bits = this.#scratch;
    bits.set(this.#live);
    for (const condition of where) {
      if (!("is" in condition)) intersect(bits, this.#matches.bits(condition, this.#capacity));
      else if (condition.is) intersect(bits, this.#flag(condition.column).bits);
      else subtract(bits, this.#flag(condition.column).bits);
    }
    return { bits, total: countBits(bits) };
  }

  #slotOf(id: number): number {
    const order = this.#orders.get(ID)!;
    const position = order.lowerBound((slot) => this.#ids.values[slot]! - id);
    if (position === order.length) return -1;
    const slot = order.at(position);
    return this.#ids.values[slot] === id ? slot : -1;
  }

  #add(id: number, values: Values): void {
    if (!Number.isSafeInteger(id)) throw new RangeError(`${id} is not an id`);
    if (this.#free.length === 0 && this.#used === this.#capacity) this.#grow();
    const slot = this.#free.pop() ?? this.#used++;
    this.#ids.write(slot, id);
    for (let i = 0; i < this.#names.length; i++) this.#columns.get(this.#names[i]!)!.write(slot, values[i]!);
    for (const order of this.#orders.values()) order.insert(slot);
    for (const grams of this.#grams.values()) grams.change(slot);
    setBit(this.#live, slot);
    this.#matches.refresh(slot, new Set(this.#columns.keys()));
  }

  #change(slot: number, changes: [column: string, value: Value][]): void {
    if (changes.length === 0) return;
    const changed = new Set(changes.map(([name]) => name));
    for (const [name, column] of this.#columns) {
      // A search column without a text of its own changes with the column it stands for.
      if (column instanceof SearchColumn && [...changed].some((other) => this.#columns.get(other) === column.of))
        changed.add(name);
    }
    for (const name of changed) this.#orders.get(name)?.remove(slot);
    for (const [name, value] of changes) this.#columns.get(name)!.write(slot, value);
    for (const name of changed) {
      this.#orders.get(name)?.insert(slot);
      this.#grams.get(name)?.change(slot);
    }
    this.#matches.refresh(slot, changed);
  }

  #grow(): void {
    this.#capacity = roomFor(this.#capacity * 1.2);
    for (const column of this.#columns.values()) column.reserve(this.#capacity);
    for (const grams of this.#grams.values()) grams.reserve(this.#capacity);
    this.#live = resizeBits(this.#live, this.#capacity);
    this.#scratch = createBits(this.#capacity);
    this.#matches.clear();
  }

  #flag(name: string): FlagColumn {
    const column = this.#columns.get(name);
    if (column instanceof FlagColumn) return column;
    throw new TypeError(`${name} is no flag column`);
  }

  #sorted(name: string) {
    const column = this.#columns.get(name);
    if (column !== undefined && isSortable(column)) return { column, order: this.#orders.get(name)! };
    throw new TypeError(`${name} is no sortable column`);
  }

  #search(name: string) {
    const column = this.#columns.get(name);
    if (column instanceof SearchColumn) return { column, grams: this.#grams.get(name)! };
    throw new TypeError(`${name} is no search column`);
  }
}

const copied = (value: Value): Value => (value instanceof Uint8Array ? value.slice() : value);
