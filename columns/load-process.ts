/**
 * Process that fills a table: reads every row of a source in one snapshot, sorts every column, hands the arrays over. A
 * process, because of what a load uses beside the table itself (as much again) a thread would leave half to its host.
 */
import { Socket } from "node:net";
import { fillTable } from "./fill-table.ts";
import { describeImage } from "./image-transfer.ts";
import { IMAGE_FD, type Loaded, type LoadOrder } from "./load-order.ts";
import type { TableSource } from "./table-source.ts";

async function answer(source: TableSource<unknown>, order: LoadOrder): Promise<void> {
  const say = (message: Loaded<unknown>) => process.send!(message);
  try {
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

/** Makes this process fill one table of `source`, when its parent orders it. For the file in which such a process begins. */
export function answerLoadOrder<State>(source: TableSource<State>): void {
  process.once("message", (order) => void answer(source as TableSource<unknown>, order as LoadOrder));
  // Without its host there is no reader of the table; only the host decides whether the host stops.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}
