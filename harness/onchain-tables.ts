/** DDL of the onchain tables as plain tables; a module of its own, because what writes it takes a second to load. */
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import * as tables from "../ponder.schema.ts";
import { snake } from "./onchain.ts";

/** Statements that create every table of ponder.schema.ts in schema `onchain`, without its indexes. */
export const onchainTables = (): string =>
  Object.values(tables)
    .map((table) => createTable(table as unknown as PgTable))
    .join(";\n");

function createTable(table: PgTable): string {
  const config = getTableConfig(table);
  const name = (column: { name: string }) => `"${snake(column.name)}"`;
  const columns = config.columns.map(
    (c) => `${name(c)} ${c.getSQLType()}${c.primary ? " primary key" : ""}${c.notNull ? " not null" : ""}`,
  );
  const keys = config.primaryKeys.map((key) => `primary key (${key.columns.map(name).join(", ")})`);
  return `create table onchain."${config.name}" (${[...columns, ...keys].join(", ")})`;
}
