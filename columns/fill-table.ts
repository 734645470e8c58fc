/** Fills a table: reads every row of a source in one snapshot, then sorts every column. */
import { openClient } from "../db/connect.ts";
import { copyRows } from "./copy-rows.ts";
import { TableBuilder, type TableImage } from "./table-image.ts";
import type { TableSource } from "./table-source.ts";

/** `rows`: about so many are there. */
export type FillOrder = { url: string; rows: number };

/** An image with what it is up to, and how long reading and sorting took. */
export type Filled<State> = { image: TableImage; state: State; readMs: number; sortMs: number };

/**
 * @returns null while there is nothing to load from
 * @throws the database's error
 */
export async function fillTable<State>(
  source: TableSource<State>,
  { url, rows }: FillOrder,
): Promise<Filled<State> | null> {
  const client = openClient({
    connectionString: url,
    application_name: "table-load",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  // What goes wrong shows in the statement that is under way.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const state = await source.begin(client);
    if (state === null) return null;
    const begun = performance.now();
    const builder = new TableBuilder(source.definition, rows);
    await copyRows(client, source.select, (row) => builder.add(row.integer(0), source.read(row)));
    const readMs = performance.now() - begun;
    // The views cannot be switched while this transaction holds them, and sorting takes a while.
    await client.query("rollback");
    const image = builder.finish();
    return { image, state, readMs, sortMs: performance.now() - begun - readMs };
  } finally {
    await client.end();
  }
}
