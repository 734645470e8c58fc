/** Thread that fills a table: reads every row of a source in one snapshot, sorts every column, hands the arrays over. */
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";
import { copyRows } from "./copy-rows.ts";
import { buffersOf, TableBuilder, type TableImage } from "./table-image.ts";
import { BYTES_PER_ROW, type TableSource } from "./table-source.ts";

/** `module` is the file whose export `source` is the table's source. */
export type LoadOrder = { url: string; module: string; maxBytes: number };

/** The one message of the thread. */
export type Loaded<State> =
  | { kind: "loaded"; image: TableImage; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "too large"; rows: number };

async function load<State>({ url, module, maxBytes }: LoadOrder): Promise<Loaded<State>> {
  const { source } = (await import(module)) as { source: TableSource<State> };
  const client = new pg.Client({ connectionString: url, application_name: "table-load", keepAlive: true });
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const state = await source.begin(client);
    if (state === null) return { kind: "absent" };
    const rows = Number((await client.query(source.count)).rows[0].count);
    if (rows * BYTES_PER_ROW > maxBytes) return { kind: "too large", rows };
    const begun = performance.now();
    const builder = new TableBuilder(source.definition, rows);
    await copyRows(client, source.select, (row) => builder.add(row.integer(0), source.read(row)));
    const readMs = performance.now() - begun;
    // The views cannot be switched while this transaction holds them, and sorting takes a while.
    await client.query("rollback");
    const image = builder.finish();
    return { kind: "loaded", image, state, readMs, sortMs: performance.now() - begun - readMs };
  } finally {
    await client.end();
  }
}

const message = await load(workerData as LoadOrder);
parentPort!.postMessage(message, message.kind === "loaded" ? [...buffersOf(message.image)] : []);
