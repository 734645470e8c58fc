/** A built table as plain typed arrays: made in the loading process, sent as bytes in parts, opened without further work. */
import { createBits, setBit } from "./bits.ts";
import { type SortableColumn, sortSlots } from "./bulk-sort.ts";
import { BytesColumn, type BytesImage, emptyBytes } from "./bytes-column.ts";
import { FlagColumn, type FlagImage } from "./flag-column.ts";
import { NumberColumn, type NumberImage } from "./number-column.ts";
import { SearchColumn } from "./search-column.ts";
import type { SortedIndexImage } from "./sorted-index.ts";
import type { TrigramIndexImage } from "./trigram-index.ts";
import { ID, type TableDefinition, type Values } from "./values.ts";

export type ColumnImage = NumberImage | BytesImage | FlagImage;
export type Column = NumberColumn | BytesColumn | FlagColumn | SearchColumn;

export type TableImage = {
  size: number;
  capacity: number;
  live: Int32Array;
  columns: Record<string, ColumnImage>;
  /** Of the id and of each sorted column: the slots with a value. */
  sortedIndexes: Record<string, SortedIndexImage>;
  /** Of each search column. */
  trigramIndexes: Record<string, TrigramIndexImage>;
};

/** The columns of a definition, the id first; from an image, or empty. */
export function openColumns(definition: TableDefinition, images?: Record<string, ColumnImage>): Map<string, Column> {
  const columns = new Map<string, Column>([[ID, new NumberColumn(images?.[ID] as NumberImage | undefined)]]);
  for (const [name, spec] of Object.entries(definition)) {
    const image = images?.[name];
    if (spec.kind === "number") columns.set(name, new NumberColumn(image as NumberImage | undefined));
    else if (spec.kind === "flag") columns.set(name, new FlagColumn(image as FlagImage | undefined));
    else if (spec.kind === "search") {
      const of = columns.get(spec.of);
      if (!(of instanceof BytesColumn)) throw new TypeError(`${name} must come after the text column ${spec.of}`);
      columns.set(name, new SearchColumn(of, image as BytesImage | undefined));
    } else {
      const width = spec.kind === "bytes" ? spec.width : 0;
      const repeats = spec.kind === "text" && spec.repeats === true;
      columns.set(name, new BytesColumn((image as BytesImage | undefined) ?? emptyBytes(width), repeats));
    }
  }
  return columns;
}

/** Whether a column has a sorted index: the id, and each number, text and bytes column but those declared without. */
export function hasIndex(definition: TableDefinition, name: string, column: Column): column is SortableColumn {
  const spec = definition[name];
  return isSortable(column) && !(spec?.kind === "number" && spec.sorted === false);
}

const isSortable = (column: Column): column is SortableColumn =>
  column instanceof NumberColumn || column instanceof BytesColumn;

/** Rows that are not sorted by their columns yet. */
export type UnsortedTable = Pick<TableImage, "size" | "capacity" | "live" | "columns"> & {
  definition: TableDefinition;
  /** All slots, by their ids ascending. */
  byId: Int32Array;
};

/** Collects the rows of a new table. */
export class TableBuilder {
  readonly #definition: TableDefinition;
  readonly #columns: Map<string, Column>;
  readonly #inOrder: Column[];
  readonly #ids: NumberColumn;
  #size = 0;
  #capacity: number;

  /** @param expected number of rows; more are accepted */
  constructor(definition: TableDefinition, expected: number) {
    this.#definition = definition;
    this.#columns = openColumns(definition);
    this.#ids = this.#columns.get(ID) as NumberColumn;
    this.#inOrder = [...this.#columns.values()].slice(1);
    this.#capacity = capacityFor(expected);
    for (const column of this.#columns.values()) column.reserve(this.#capacity);
  }

  /** Adds a row with an id of its own. Rows may come in any order; ascending ids are fastest. */
  add(id: number, values: Values): void {
    if (this.#size === this.#capacity) this.#resize(capacityFor(this.#capacity * 1.5));
    const slot = this.#size++;
    this.#ids.write(slot, id);
    for (let i = 0; i < this.#inOrder.length; i++) this.#inOrder[i]!.write(slot, values[i]!);
  }

  /** The rows, to be sorted by `sort-jobs.ts`; the builder must not be used afterwards. */
  finish(): UnsortedTable {
    const size = this.#size;
    if (this.#capacity > capacityFor(size) * 1.1) this.#resize(capacityFor(size));
    const capacity = this.#capacity;
    const live = createBits(capacity);
    const byId = new Int32Array(size);
    const ids = this.#ids.values;
    let ascending = true;
    for (let slot = 0; slot < size; slot++) {
      byId[slot] = slot;
      setBit(live, slot);
      if (slot > 0 && ids[slot - 1]! > ids[slot]!) ascending = false;
    }
    if (!ascending) sortSlots(this.#ids, byId);
    const columns: Record<string, ColumnImage> = {};
    for (const [name, column] of this.#columns) {
      if (column instanceof BytesColumn || column instanceof SearchColumn) column.trim();
      columns[name] = column.image();
    }
    return { definition: this.#definition, size, capacity, live, byId, columns };
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    for (const column of this.#columns.values()) column.reserve(capacity);
  }
}

/** Number of slots for a number of rows, spare slots included; a multiple of 32. */
export const capacityFor = (rows: number): number => Math.ceil((rows * 1.05 + 1024) / 32) * 32;
