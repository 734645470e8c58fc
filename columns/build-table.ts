/** Builds a table from its source: reads every row in one snapshot, then sorts every column. */
import { copyRows } from "./copy-rows.ts";
import { sortTable } from "./sort-jobs.ts";
import { TableBuilder, type TableImage, type UnsortedTable } from "./table-image.ts";
import type { TableSource } from "./table-source.ts";

/** `rows`: the expected number of rows. */
export type BuildRequest = { url: string; rows: number };

/** The rows, the position in the source that they correspond to, and the milliseconds of reading. */
export type ReadTable<State> = { table: UnsortedTable; state: State; readMs: number };

/** The table's image, its position in the source, and the milliseconds of reading and sorting. */
export type BuiltTable<State> = { image: TableImage; state: State; readMs: number; sortMs: number };

/**
 * Builds the table on this thread.
 * @returns null while the source has nothing to load
 * @throws the database's error
 */
export async function buildTable<State>(
  source: TableSource<State>,
  request: BuildRequest,
): Promise<BuiltTable<State> | null> {
  const read = await readTable(source, request);
  if (read === null) return null;
  const { table, ...rest } = read;
  const startedAt = performance.now();
  const image = sortTable(table);
  return { ...rest, image, sortMs: performance.now() - startedAt };
}

/** As `buildTable`, without sorting. */
export async function readTable<State>(
  source: TableSource<State>,
  { url, rows }: BuildRequest,
): Promise<ReadTable<State> | null> {
  const client = source.openClient({
    connectionString: url,
    application_name: "table-load",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  // The statement that is running rejects with the error.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const state = await source.begin(client);
    if (state === null) return null;
    const startedAt = performance.now();
    const builder = new TableBuilder(source.definition, rows);
    await copyRows(client, source.select, (row) => builder.add(row.integer(0), source.read(row)));
    // The indexer cannot switch its views while this transaction is open, and sorting takes long: end it first.
    await client.query("rollback");
    return { table: builder.finish(), state, readMs: performance.now() - startedAt };
  } finally {
    await client.end();
  }
}
