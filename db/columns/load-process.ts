/**
 * Process that fills a table: reads every row of a source in one snapshot, sorts every column, hands the arrays over. A
 * process, because of what a load uses beside the table itself (as much again) a thread would leave half to its host.
 */
import { Socket } from "node:net";
import pg from "pg";
import { copyRows } from "./copy-rows.ts";
import { describeImage, type ImageDescription } from "./image-transfer.ts";
import { TableBuilder, type TableImage } from "./table-image.ts";
import type { TableSource } from "./table-source.ts";

/** The one message to the process. `module` is the file whose export `source` is the table's source; `rows`: about so many are there. */
export type LoadOrder = { url: string; module: string; rows: number };

/** The one message of the process. After `loaded` the bytes of the image follow on `IMAGE_FD`. */
export type Loaded<State> =
  | { kind: "loaded"; image: ImageDescription; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "failed"; message: string; code: string | undefined };

export const IMAGE_FD = 4;

type Filled<State> = { image: TableImage; state: State; readMs: number; sortMs: number };

/** @returns null while there is nothing to load from */
async function load<State>({ url, module, rows }: LoadOrder): Promise<Filled<State> | null> {
  const { source } = (await import(module)) as { source: TableSource<State> };
  const client = new pg.Client({ connectionString: url, application_name: "table-load", keepAlive: true });
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

async function answer(order: LoadOrder): Promise<void> {
  const say = (message: Loaded<unknown>) => process.send!(message);
  try {
    const filled = await load(order);
    if (filled === null) return void say({ kind: "absent" });
    const { image, ...rest } = filled;
    const { description, parts } = describeImage(image);
    say({ kind: "loaded", image: description, ...rest });
    const stream = new Socket({ fd: IMAGE_FD, readable: false, writable: true });
    for (const part of parts)
      if (!stream.write(part)) await new Promise<void>((done) => stream.once("drain", () => done()));
    stream.end();
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    say({ kind: "failed", message, code });
  }
}

if (process.send) {
  process.once("message", (order) => void answer(order as LoadOrder));
  // Without its host there is nobody to fill a table for; whether the host shall stop is the host's to decide.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}
