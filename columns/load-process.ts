/**
 * Process that builds a table and sends its arrays to the parent process. A load needs as much memory again as the
 * table; a process returns all of it to the operating system, a thread leaves half of it to its host.
 */
import { Socket } from "node:net";
import { readTable } from "./build-table.ts";
import { bytesOfPart, END_OF_IMAGE } from "./image-transfer.ts";
import { IMAGE_FD, type LoadReply, type LoadRequest } from "./load-messages.ts";
import { type ImagePart, unsortedPart } from "./sort-jobs.ts";
import { SortThreads, shareArrays } from "./sort-threads.ts";
import type { TableSource } from "./table-source.ts";

async function answer(source: TableSource<unknown>, threadFile: string, request: LoadRequest): Promise<void> {
  const reply = (message: LoadReply<unknown>) => process.send!(message);
  try {
    const threads = new SortThreads(threadFile);
    const read = await readTable(source, request);
    if (read === null) return void reply({ kind: "absent" });
    const { state, readMs } = read;
    const startedAt = performance.now();
    const table = shareArrays(read.table);
    const parts = new PartSender();
    parts.send(unsortedPart(table));
    await threads.sort(table, (part) => parts.send(part));
    const sortMs = performance.now() - startedAt;
    await parts.end();
    reply({ kind: "loaded", state, readMs, sortMs });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    reply({ kind: "failed", message, code });
  }
}

/** Sends parts one after the other, each as fast as the parent takes it. */
class PartSender {
  readonly #stream = new Socket({ fd: IMAGE_FD, readable: false, writable: true });
  #sent: Promise<void> = Promise.resolve();

  /** Returns at once; the part waits for those before it. */
  send(part: ImagePart): void {
    this.#sent = this.#sent.then(async () => {
      for (const bytes of bytesOfPart(part))
        if (!this.#stream.write(bytes)) await new Promise<void>((done) => this.#stream.once("drain", () => done()));
    });
  }

  /** Waits until the stream has taken every part. */
  async end(): Promise<void> {
    await this.#sent;
    this.#stream.end(END_OF_IMAGE);
  }
}

/**
 * Makes this process build one table of `source` when its parent requests it. For the entry file of such a process.
 * @param threadFile entry file of the threads that sort (sort-thread.ts)
 */
export function answerLoadRequest<State>(source: TableSource<State>, threadFile: string): void {
  process.once("message", (request) => void answer(source as TableSource<unknown>, threadFile, request as LoadRequest));
  // Without its parent the process has no purpose. An interrupt is the parent's to handle: the parent kills this process.
  process.once("disconnect", () => process.exit());
  process.on("SIGINT", () => {});
}
