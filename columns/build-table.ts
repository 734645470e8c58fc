/** Builds a table from its source: reads every row in one snapshot, then sorts every column. */
import { copyRows } from "./copy-rows.ts";
import { TableBuilder, type TableImage } from "./table-image.ts";
import type { TableSource } from "./table-source.ts";

/** `rows`: the expected number of rows. */
export type BuildRequest = { url: string; rows: number };

/** The table's image, the position in the source that it corresponds to, and the milliseconds of reading and sorting. */
export type BuiltTable<State> = { image: TableImage; state: State; readMs: number; sortMs: number };

/**
 * @returns null while the source has nothing to load
 * @throws the database's error
 */
export async function buildTable<State>(
  source: TableSource<State>,
  { url, rows }: BuildRequest,
): Promise<BuiltTable<State> | null> {
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
    const readMs = performance.now() - startedAt;
    // The indexer cannot switch its views while this transaction is open, and sorting takes long: end it first.
    await client.query("rollback");
    const image = builder.finish();
    return { image, state, readMs, sortMs: performance.now() - startedAt - readMs };
  } finally {
    await client.end();
  }
}
