/** A table as anybody would write it, an array that is filtered and sorted anew for every question: what the columns are held to. */
import type { Condition } from "../../columns/filter-cache.ts";
import type { TablePage, TableQuery } from "../../columns/table.ts";
import { ID, type TableDefinition, type Value, type Values } from "../../columns/values.ts";

export class PlainTable {
  readonly rows = new Map<number, Values>();
  readonly #names: string[];
  readonly #definition: TableDefinition;

  constructor(definition: TableDefinition) {
    this.#definition = definition;
    this.#names = Object.keys(definition);
  }

  page({ where, sort, descending, position, limit }: TableQuery): TablePage {
    const byKey = (a: Value, b: Value) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return descending ? compare(b, a) : compare(a, b);
    };
    const matched = [...this.rows.keys()]
      .filter((id) => where.every((condition) => this.#meets(id, condition)))
      .sort((a, b) => byKey(this.#value(a, sort), this.#value(b, sort)) || a - b);
    const after = "after" in position ? position.after : undefined;
    const skipped = after
      ? matched.filter((id) => (byKey(this.#value(id, sort), after.key) || id - after.id) <= 0).length
      : (position as { offset: number }).offset;
    const ids = matched.slice(skipped, skipped + limit);
    const id = ids.at(-1);
    return {
      ids,
      total: matched.length,
      skipped,
      last: id === undefined ? null : { key: this.#value(id, sort), id },
    };
  }

  #value(id: number, column: string): Value {
    return column === ID ? id : this.rows.get(id)![this.#names.indexOf(column)]!;
  }

  #meets(id: number, condition: Condition): boolean {
    if ("anyOf" in condition) return condition.anyOf.some((each) => this.#meets(id, each));
    const value = this.#value(id, condition.column);
    if ("is" in condition) return value === condition.is;
    if ("contains" in condition) {
      const spec = this.#definition[condition.column]!;
      const text = value ?? (spec.kind === "search" ? this.#value(id, spec.of) : null);
      return text !== null && Buffer.from(text as Uint8Array).includes(Buffer.from(condition.contains));
    }
    if (value === null) return false;
    if (condition.from !== undefined && compare(value, condition.from) < 0) return false;
    return condition.to === undefined || compare(value, condition.to) <= 0;
  }
}

function compare(a: Value, b: Value): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}
