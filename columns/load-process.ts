/**
 * Process that builds a table and sends its arrays to the parent process. A load needs as much memory again as the
 * table; a process returns all of it to the operating system, a thread leaves half of it to its host.
 */
import { Socket } from "node:net";
import { buildTable } from "./build-table.ts";
import { describeImage } from "./image-transfer.ts";
import { IMAGE_FD, type LoadReply, type LoadRequest } from "./load-messages.ts";
import type { TableSource } from "./table-source.ts";

async function answer(source: TableSource<unknown>, request: LoadRequest): Promise<void> {
  const reply = (message: LoadReply<unknown>) => process.send!(message);
  try {
    const built = await buildTable(source, request);
    if (built === null) return void reply({ kind: "absent" });
    const { image, ...rest } = built;
    const { description, parts } = describeImage(image);
    reply({ kind: "loaded", image: description, ...rest });
    const stream = new Socket({ fd: IMAGE_FD, readable: false, writable: true });
    for (const part of parts)
      if (!stream.write(part)) await new Promise<void>((done) => stream.once("drain", () => done()));
    stream.end();
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    reply({ kind: "failed", message, code });
  }
}

/** Makes this process build one table of `source` when its parent requests it. For the entry file of such a process. */
export function answerLoadRequest<State>(source: TableSource<State>): void {
  process.once("message", (request) => void answer(source as TableSource<unknown>, request as LoadRequest));
  // Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}
