/** The columns of a table as statements read and take them, so that a row is described once: where its table is. */
import { getTableColumns, type Table, type Column as TableColumn } from "drizzle-orm";
import { type AnyColumn, array, type Column, type Columns, nullable } from "./columns.ts";
import { t } from "./statement.ts";

type Read<D> = D extends Uint8Array ? Buffer : D;
type Taken<C, D> = C extends "PgNumeric"
  ? string | bigint | number
  : D extends number
    ? number | bigint
    : D extends Date
      ? Date | string
      : D extends (infer E)[]
        ? readonly E[]
        : D;
/** What a statement declares of a column, by its type in the table. */
type Declared<C extends TableColumn["_"]> = C["notNull"] extends true
  ? Column<Read<C["data"]>, Taken<C["columnType"], C["data"]>>
  : Column<Read<C["data"]> | null, Taken<C["columnType"], C["data"]> | null>;

const TYPES: Record<string, AnyColumn> = {
  ...{ bigint: t.int8, bigserial: t.int8, integer: t.int4, smallint: t.int2, "double precision": t.float8 },
  ...{ text: t.text, uuid: t.uuid, boolean: t.bool, bytea: t.bytea, jsonb: t.jsonb(), numeric: t.numeric },
  "timestamp with time zone": t.timestamptz,
};

function declaredBy(column: TableColumn): AnyColumn {
  const [, type, list] = /^([a-z ]+)(?:\(.*\))?(\[\])?$/.exec(column.getSQLType()) ?? [];
  const one = TYPES[type ?? ""];
  if (!one) throw new Error(`${column.name}: statements know no type ${column.getSQLType()}`);
  const declared = list ? array(one) : one;
  return column.notNull ? declared : nullable(declared);
}

type Kept<T extends Table, O, W> = Exclude<O extends string ? O : keyof T["_"]["columns"] & string, W>;

/** The columns of a table: those named in `only`, in that order, or all in the table's order. */
export function columnsOf<
  T extends Table,
  const O extends (keyof T["_"]["columns"] & string) | undefined = undefined,
  const W extends keyof T["_"]["columns"] & string = never,
>(table: T, { only, without = [] }: { only?: readonly O[]; without?: readonly W[] } = {}) {
  const columns = getTableColumns(table);
  const names = (only ?? Object.keys(columns)) as readonly string[];
  const kept = names.filter((name) => !(without as readonly string[]).includes(name));
  return Object.fromEntries(kept.map((name) => [name, declaredBy(columns[name]!)])) as Columns as {
    [K in Kept<T, O, W>]: Declared<T["_"]["columns"][K]["_"]>;
  };
}
