/**
 * Process that fills a table: reads every row of a source in one snapshot, sorts every column, hands the arrays over. A
 * process, because of what a load uses beside the table itself (as much again) a thread would leave half to its host.
 */
import { Socket } from "node:net";
import { type FillOrder, fillTable } from "./fill-table.ts";
import { describeImage, type ImageDescription } from "./image-transfer.ts";
import type { TableSource } from "./table-source.ts";

/** The one message to the process. `module` is the file whose export `source` is the table's source. */
export type LoadOrder = FillOrder & { module: string };

/** The one message of the process. After `loaded` the bytes of the image follow on `IMAGE_FD`. */
export type Loaded<State> =
  | { kind: "loaded"; image: ImageDescription; state: State; readMs: number; sortMs: number }
  | { kind: "absent" }
  | { kind: "failed"; message: string; code: string | undefined };

export const IMAGE_FD = 4;

async function answer(order: LoadOrder): Promise<void> {
  const say = (message: Loaded<unknown>) => process.send!(message);
  try {
    const { source } = (await import(order.module)) as { source: TableSource<unknown> };
    const filled = await fillTable(source, order);
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
