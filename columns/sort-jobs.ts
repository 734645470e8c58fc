/** What is left to do for a table whose rows were read: a job for each sorted index and each trigram index, in any order, on any thread. */
import { SlotSorter } from "./bulk-sort.ts";
import { BytesColumn } from "./bytes-column.ts";
import { SearchColumn } from "./search-column.ts";
import { layOutBlocks } from "./sorted-index.ts";
import { type Column, hasIndex, openColumns, type TableImage, type UnsortedTable } from "./table-image.ts";
import { buildTrigramIndex } from "./trigram-index.ts";
import { ID } from "./values.ts";

/** Some members of an image. A whole image is the union of its parts. */
export type ImagePart = Partial<TableImage>;

/** The part of the image that needs no job. */
export function unsortedPart({ size, capacity, live, byId, columns }: UnsortedTable): ImagePart {
  return { size, capacity, live, columns, sortedIndexes: { [ID]: layOutBlocks(byId) } };
}

/** The name of a column for each job; the longest first, so that threads which share them end at about the same time. */
export function sortJobs(table: UnsortedTable): string[] {
  const columns = [...openColumns(table.definition, table.columns)].filter(
    ([name, column]) => name !== ID && (hasIndex(table.definition, name, column) || column instanceof SearchColumn),
  );
  return columns.sort(([, a], [, b]) => costOf(b) - costOf(a)).map(([name]) => name);
}

/** As order only: texts take longer than numbers, the more bytes the longer, and trigrams longest. */
function costOf(column: Column): number {
  if (column instanceof SearchColumn) return Number.POSITIVE_INFINITY;
  return column instanceof BytesColumn ? column.heap.length : 0;
}

/** Does the jobs of one table. */
export class TableSorter {
  readonly #table: UnsortedTable;
  readonly #columns: Map<string, Column>;
  #slots: SlotSorter | undefined;

  constructor(table: UnsortedTable) {
    this.#table = table;
    this.#columns = openColumns(table.definition, table.columns);
  }

  /** @param name one of `sortJobs` */
  sort(name: string): ImagePart {
    const { definition, size, capacity, byId } = this.#table;
    const column = this.#columns.get(name)!;
    if (column instanceof SearchColumn)
      return { trigramIndexes: { [name]: buildTrigramIndex(column, size, capacity) } };
    if (!hasIndex(definition, name, column)) throw new TypeError(`${name} is not sorted by`);
    this.#slots ??= new SlotSorter(byId);
    return { sortedIndexes: { [name]: layOutBlocks(this.#slots.sort(column)) } };
  }
}

/** Collects the parts of an image. */
export class ImageParts {
  readonly #image: ImagePart = {};

  add(part: ImagePart): void {
    const { columns, sortedIndexes, trigramIndexes } = this.#image;
    Object.assign(this.#image, part, {
      columns: { ...columns, ...part.columns },
      sortedIndexes: { ...sortedIndexes, ...part.sortedIndexes },
      trigramIndexes: { ...trigramIndexes, ...part.trigramIndexes },
    });
  }

  /** The image, after its last part. */
  whole(): TableImage {
    return this.#image as TableImage;
  }
}

/** The whole image, made on this thread. */
export function sortTable(table: UnsortedTable): TableImage {
  const parts = new ImageParts();
  parts.add(unsortedPart(table));
  const sorter = new TableSorter(table);
  for (const name of sortJobs(table)) parts.add(sorter.sort(name));
  return parts.whole();
}
